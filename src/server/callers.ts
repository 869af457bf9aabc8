import type { Engine } from '../engine/engine.ts'
import { agentSummaryOf } from '../engine/helper.ts'
import { noSuchRun } from '../engine/views.ts'
import {
  type AgentRecord,
  type AgentSummary,
  type Person,
  type PersonHandle,
  QuerentError,
  randomId,
} from '../protocol/core.ts'
import { limitedHandle, type Rates } from './limited-handle.ts'
import { isSecure, SignedCookie } from './signed-cookie.ts'
import type { TokenSessions } from './token-sessions.ts'

/** Who makes a request, and what they may do. */
export interface Caller {
  id: string
  handle: PersonHandle
  /** They are known by a cookie of ours alone: only agents with access for everyone are theirs to start. */
  isAnonymous: boolean
  /** The cookie to send, where this caller was made for this request. */
  cookie?: string
}

export type Identify = (request: Request) => Person | undefined | Promise<Person | undefined>

export interface CallersOptions {
  identify: Identify
  secret?: string | undefined
  sessions?: TokenSessions | undefined
  rates: Rates
}

/** Finds out who makes a request: from `identify`, else from the cookie of an anonymous person. Never from a body. */
export class Callers {
  private readonly engine: Engine
  private readonly identify: Identify
  private readonly cookie: SignedCookie | undefined
  private readonly hasSessions: boolean
  private readonly rates: Rates

  /** @throws QuerentError T1003 where an agent is there for everyone and no secret signs their cookies. */
  constructor(engine: Engine, { identify, secret, sessions, rates }: CallersOptions) {
    this.engine = engine
    this.rates = rates
    this.identify = identify
    this.hasSessions = sessions !== undefined
    const open = engine.agents.find((agent) => agent.access === 'everyone')
    if (open && secret === undefined) {
      throw new QuerentError(
        'T1003',
        `Agent "${open.name}" has access "everyone", and createServer has no secret to sign the cookies of those who come.`,
      )
    }
    this.cookie = secret === undefined ? undefined : new SignedCookie('querent_person', secret)
  }

  /** Nobody where it is not known who it is. */
  async find(request: Request): Promise<Caller | undefined> {
    const person = await this.identify(request)
    if (person) return this.caller(person, false)
    const id = await this.cookie?.read(request)
    return id === undefined ? undefined : this.caller({ id }, true)
  }

  /** @throws QuerentError T0007 (401) where nobody is signed in: for lists. */
  async signedIn(request: Request): Promise<Caller> {
    const caller = await this.find(request)
    if (caller) return caller
    throw this.notSignedIn()
  }

  /** @throws QuerentError T0001 where nobody is signed in: for a single run, which then is not there. */
  async ofRun(request: Request, run: string): Promise<Caller> {
    const caller = await this.find(request)
    if (caller) return caller
    throw noSuchRun(run)
  }

  /**
   * Who starts a run of an agent: an anonymous person is made where everyone may and nobody is known.
   * @throws QuerentError T0007 (401), T1005 (404).
   */
  async starting(request: Request, name: string): Promise<Caller> {
    const caller = await this.find(request)
    const agent = this.engine.agents.find((each) => [each.name, ...each.aliases].includes(name))
    const isOpen = agent?.access === 'everyone'
    if (!isOpen && (!caller || caller.isAnonymous)) throw this.notSignedIn()
    if (!agent) throw noSuchAgent(name)
    return caller ?? (await this.newAnonymous(request))
  }

  /** The agents that whoever makes a request may start. */
  async agents(request: Request): Promise<AgentSummary[]> {
    const caller = await this.find(request)
    if (caller && !caller.isAnonymous) return caller.handle.agents()
    return this.engine.agents.filter(({ access }) => access === 'everyone').map(agentSummaryOf)
  }

  /** `signIn` tells a page that a token opens this server: see `paths.signIn`. */
  private notSignedIn(): QuerentError {
    const data = this.hasSessions ? { signIn: 'token' } : {}
    return new QuerentError('T0007', 'Nobody is signed in. Sign in, and try again.', { status: 401, data })
  }

  private caller(person: Person, isAnonymous: boolean): Caller {
    const { id } = person
    return { id, handle: limitedHandle(this.engine.as(person), id, this.rates), isAnonymous }
  }

  private async newAnonymous(request: Request): Promise<Caller> {
    this.rates.newcomers.take('')
    const id = randomId('anonymous')
    const cookie = await this.cookie?.header(id, { secure: isSecure(request) })
    return { ...this.caller({ id }, true), ...(cookie === undefined ? {} : { cookie }) }
  }
}

function noSuchAgent(name: AgentRecord['name']): QuerentError {
  return new QuerentError('T1005', `There is no agent ${JSON.stringify(name)} here.`, { status: 404 })
}
