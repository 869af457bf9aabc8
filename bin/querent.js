#!/usr/bin/env node
// This file must parse on Node versions that are too old for the rest: they are told so in words, not by a SyntaxError.
const found = process.versions.node.split('.').map(Number)
if (found[0] < 24 || (found[0] === 24 && found[1] < 15)) {
  console.error(
    'Querent needs Node 24.15 or later; this is ' +
      process.versions.node +
      '. Install a newer Node (https://nodejs.org) and run the command again.',
  )
  process.exit(1)
}

import('../dist/cli/main.js').catch((error) => {
  console.error(error)
  process.exit(1)
})
