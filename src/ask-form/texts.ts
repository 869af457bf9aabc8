/** The words of the form. Give others with `texts`, for another language. What the server says of an answer is English. */
export interface AskFormTexts {
  yourAnswer: string
  yourOwnAnswer: string
  chooseOne: string
  chooseSeveral: string
  somethingElse: string
  leaveOut: string
  /** The first entry of a list that drops down: nothing is chosen yet. */
  choose: string
  yes: string
  no: string
  optional: string
  asJson: string
  asForm: string
  notInForm: string
  addItem(list: string): string
  removeItem(item: string): string
  /** `number` counts from 1. */
  item(title: string, number: number): string
  incomplete: string
  localTime(zone: string): string
  hidden: string
  wantsToRun(tool: string): string
  input: string
  noInput: string
  changeInput: string
  keepInput: string
  send: string
  approve: string
  approveChanged: string
  refuse: string
  refuseOpen: string
  why: string
  back: string
  sending: string
  answered: string
  approved: string
  refused: string
  needed: string
  cannotRead: string
  /** Nothing came back, or the server cannot just now: the same answer may be sent again. */
  notSent: string
  kept: string
  /** Somebody was faster: how it ended, and by whom and when where that is known. */
  settled(outcome: string, by: string, at: string): string
  expired(at: string): string
  gone: string
  failed: string
}

export const englishTexts: AskFormTexts = {
  yourAnswer: 'Your answer',
  yourOwnAnswer: 'Your own answer',
  chooseOne: 'Choose one',
  chooseSeveral: 'Choose one or more',
  somethingElse: 'Something else …',
  leaveOut: 'Leave it out',
  choose: 'Choose …',
  yes: 'yes',
  no: 'no',
  optional: 'optional',
  asJson: 'Write it as JSON',
  asForm: 'Back to the form',
  notInForm: 'This cannot be shown in the form.',
  addItem: (list) => `Add to ${list}`,
  removeItem: (item) => `Remove ${item}`,
  incomplete: 'This is not complete.',
  item: (title, number) => `${title} ${number}`,
  localTime: (zone) => `in your time zone, ${zone}`,
  hidden: 'It holds characters that cannot be seen:',
  wantsToRun: (tool) => `${tool} wants to run with`,
  input: 'Input',
  noInput: 'nothing',
  changeInput: 'Change the input …',
  keepInput: 'Leave the input as it was',
  send: 'Send answer',
  approve: 'Approve',
  approveChanged: 'Approve with this input',
  refuse: 'Refuse',
  refuseOpen: 'Refuse …',
  why: 'Why? (may be left blank)',
  back: 'Back',
  sending: 'Sending …',
  answered: 'Your answer was sent.',
  approved: 'You approved this.',
  refused: 'You refused this.',
  needed: 'An answer is needed here.',
  cannotRead: 'Some of this cannot be sent yet: see the fields that are marked.',
  notSent: 'This has not arrived, as far as is known. Send it again when you are online: it counts once.',
  kept: 'What you wrote is kept.',
  settled: (outcome, by, at) =>
    `This is settled already: ${[outcome, by && `by ${by}`, at && `at ${at}`].filter(Boolean).join(' ')}. Nothing was changed.`,
  expired: (at) => `This expired${at && ` at ${at}`}. Nothing was sent.`,
  gone: 'This is not here any more, or not yours to answer.',
  failed: 'This could not be sent.',
}
