import { commandLine } from './command-line.ts'
import { processIo } from './io.ts'

// Whoever reads our output may have read enough (`querent runs | head`): that is no fault of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error
})

const code = await commandLine(process.argv.slice(2), processIo())
// A config may hold something open (a connection, a timer) that would keep the ended command from ending.
process.stdout.write('', () => process.exit(code))
