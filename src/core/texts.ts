/** The fixed sentences that a model is told. Replace them for another language: `createEngine({ texts })`. */
export interface Texts {
  refused: string
  reason: (reason: string) => string
  expired: string
  defaultAnswer: string
  messageInstead: string
  messageBefore: string
  notShown: (reason: string) => string
  heldBack: string
  interrupted: string
  stopped: string
  ended: string
  waiting: string
  timedOut: string
  edited: (input: string) => string
  notAsApproved: string
  outputMisfit: (problems: string) => string
  childFailed: (agent: string, why: string) => string
  outputSchema: (schema: string) => string
}

/** What is said where nothing else is given. */
export const defaultTexts: Texts = {
  refused: 'The person refused this.',
  reason: (reason) => `Reason: ${reason}`,
  expired: 'Nobody answered in time. This is not a refusal.',
  defaultAnswer: 'Nobody answered in time. This is the default answer, not the person’s:',
  messageInstead: 'The person wrote a message instead of answering.',
  messageBefore: 'The person had written a message before this was asked.',
  notShown: (reason) => `This was not shown to the person: ${reason}.`,
  heldBack: 'Not run: a question of the same turn was open. Call it again if it is still right.',
  interrupted: 'Interrupted before its result was recorded. It may or may not have happened.',
  stopped: 'Stopped.',
  ended: 'Not run: the run ended.',
  waiting: 'Asked. The answer will follow as a message.',
  timedOut: 'The tool did not return in time. It may or may not have happened.',
  edited: (input) => `The person changed the input before they approved it. It ran with: ${input}`,
  notAsApproved: 'Not run: this is not the call that the person approved.',
  outputMisfit: (problems) =>
    `Your final answer does not fit the schema it must fit: ${problems}. Answer again, with nothing but JSON that fits.`,
  childFailed: (agent, why) => `The run of "${agent}" did not succeed: ${why}`,
  outputSchema: (schema) =>
    `Your final answer must be JSON that fits this JSON Schema, and nothing but that: ${schema}`,
}
