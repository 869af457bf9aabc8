export type { Store } from './store/store.ts'
export { type FakeClock, fakeClock } from './testing/fake-clock.ts'
export { type FaultPoint, faultStore, type TransitionName, transitions } from './testing/fault-store.ts'
export {
  type ScriptedCall,
  type ScriptedModel,
  type ScriptedPrompt,
  type ScriptedTurn,
  scriptedModel,
  type TurnSource,
} from './testing/scripted-model.ts'
export { type OpenStores, runStoreCase, type StoreBench, type StoreCase } from './testing/store-kit/store-case.ts'
export { storeCases } from './testing/store-kit/store-cases.ts'
export { wellFormed } from './testing/well-formed.ts'
