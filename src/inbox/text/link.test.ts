import { expect, test } from 'vitest'
import { linkOf } from './link.ts'

test('web and mail addresses are links, and say where they lead', () => {
  expect(linkOf('https://example.com/a?b#c')).toEqual({ href: 'https://example.com/a?b#c', shown: 'example.com' })
  expect(linkOf('http://example.com:8080')).toEqual({ href: 'http://example.com:8080/', shown: 'example.com:8080' })
  expect(linkOf('mailto:ann@example.com')).toEqual({ href: 'mailto:ann@example.com', shown: 'ann@example.com' })
  // What looks like another host is shown as the name that is asked for.
  expect(linkOf('https://раураl.com')?.shown).toBe('xn--l-7sba6dbr.com')
})

test.each([
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'data:text/html,x',
  'file:///etc/passwd',
  'vbscript:x',
  '//example.com',
  '/runs',
  'runs',
  '',
  'https://',
  'https://bank.example@evil.example/',
  'https://user:secret@example.com/',
  // What is sent along is not shown.
  'mailto:ann@example.com?bcc=eve@evil.example&body=secret',
  'mailto:',
])('%j is no link', (url) => {
  expect(linkOf(url)).toBeUndefined()
})
