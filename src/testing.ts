export { type FakeClock, fakeClock } from './testing/fake-clock.ts'
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedPrompt,
  type ScriptedTurn,
  scriptedModel,
  type TurnSource,
} from './testing/scripted-model.ts'
export { wellFormed } from './testing/well-formed.ts'
