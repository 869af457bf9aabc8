import { fromMarkdown } from 'mdast-util-from-markdown'
import { Fragment, memo, type ReactNode } from 'react'
import { visible } from '../../protocol/core.ts'
import { linkOf } from './link.ts'
import { PlainText } from './plain-text.tsx'

type Node = ReturnType<typeof fromMarkdown>['children'][number]

/**
 * Longer or deeper than a person reads, text is shown as it was written. The parser takes time by the square of what may
 * begin or end something: 15,000 stars froze a page for three seconds.
 */
const maxCharacters = 60_000
const maxMarks = 3_000
const maxDepth = 12

/**
 * Text of a model as a person reads it: paragraphs, emphasis, lists, quotes, code, and links whose host stands beside
 * them. Everything else (HTML, images, titles, definitions) is shown as it was written: nothing of it acts, nothing is
 * loaded, and nothing is left out. Parsed once: what stands around it is drawn anew
 * with each word that an agent writes.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  if (text.length > maxCharacters || (text.match(/[*_[>]/g)?.length ?? 0) > maxMarks) return <PlainText text={text} />
  return <div className="prose">{drawAll(fromMarkdown(text).children, { source: text, depth: 0 })}</div>
})

interface Place {
  source: string
  depth: number
}

function drawAll(nodes: Node[], place: Place): ReactNode {
  return nodes.map((node) => <Fragment key={node.position?.start.offset}>{draw(node, place)}</Fragment>)
}

function draw(node: Node, { source, depth }: Place): ReactNode {
  const inside = (nodes: Node[]) => drawAll(nodes, { source, depth: depth + 1 })
  if (depth > maxDepth) return written(node, source)
  switch (node.type) {
    case 'text':
      return visible(node.value)
    case 'paragraph':
      return <p dir="auto">{inside(node.children)}</p>
    case 'heading':
      // Not a heading of the page: whoever moves through it by headings would land in the words of a model.
      return (
        <p dir="auto" className={`prose-heading prose-heading-${Math.min(node.depth, 3)}`}>
          {inside(node.children)}
        </p>
      )
    case 'emphasis':
      return <em>{inside(node.children)}</em>
    case 'strong':
      return <strong>{inside(node.children)}</strong>
    case 'inlineCode':
      return <code dir="ltr">{visible(node.value, 'line')}</code>
    case 'code':
      return (
        <pre dir="ltr">
          <code>{visible(node.value)}</code>
        </pre>
      )
    case 'blockquote':
      return <blockquote>{inside(node.children)}</blockquote>
    case 'list':
      return node.ordered ? (
        <ol dir="auto" start={node.start ?? 1}>
          {inside(node.children)}
        </ol>
      ) : (
        <ul dir="auto">{inside(node.children)}</ul>
      )
    case 'listItem':
      return <li>{inside(node.children)}</li>
    case 'break':
      return <br />
    case 'thematicBreak':
      return <hr />
    case 'link':
      return drawLink(node, inside(node.children)) ?? written(node, source)
    default:
      return written(node, source)
  }
}

function drawLink(node: Node & { type: 'link' }, label: ReactNode): ReactNode {
  const link = linkOf(node.url)
  // A title shows only under a mouse: it would be hidden from everybody else.
  if (!link || node.title) return undefined
  return (
    <>
      <a href={link.href} target="_blank" rel="noreferrer noopener nofollow">
        {label}
      </a>{' '}
      <bdi className="link-host">({link.shown})</bdi>
    </>
  )
}

/** A part of the text as it was written. */
function written(node: Node, source: string): ReactNode {
  const { start, end } = node.position ?? {}
  const isBlock = node.type === 'html' || node.type === 'definition' || 'children' in node
  const text = visible(source.slice(start?.offset, end?.offset))
  return isBlock && node.type !== 'link' ? <span className="as-written">{text}</span> : text
}
