import { QuerentError } from '../../core/error.ts'

/** Where the demo's options are for the processes that it starts. */
export const baseUrlVariable = 'QUERENT_DEMO_BASE_URL'
export const modelVariable = 'QUERENT_DEMO_MODEL'

/** A model of a provider, by what the environment has. */
export interface Provider {
  package: string
  model: string
  /** The address of a server of one's own. */
  baseUrl?: string
}

/** Which provider the environment asks for, if any. */
export function providerOf(env: Record<string, string | undefined>): Provider | undefined {
  const model = env[modelVariable]
  const baseUrl = env[baseUrlVariable]
  if (baseUrl) return { package: '@ai-sdk/openai-compatible', model: model ?? 'default', baseUrl }
  if (env.OPENAI_API_KEY) return { package: '@ai-sdk/openai', model: model ?? 'gpt-5.6' }
  if (env.ANTHROPIC_API_KEY) return { package: '@ai-sdk/anthropic', model: model ?? 'claude-sonnet-4-5' }
  return undefined
}

interface ProviderModule {
  createOpenAICompatible?(options: object): (model: string) => unknown
  openai?(model: string): unknown
  anthropic?(model: string): unknown
}

/**
 * The model that the environment asks for; nothing where it asks for none.
 * @throws QuerentError T1007 where a package is missing.
 */
export async function realModel(env: Record<string, string | undefined>): Promise<unknown> {
  const provider = providerOf(env)
  if (!provider) return undefined
  const { model, baseUrl } = provider
  const module = await load(provider)
  if (baseUrl) {
    return module.createOpenAICompatible?.({ name: 'demo', baseURL: baseUrl, apiKey: env.OPENAI_API_KEY ?? 'none' })(
      model,
    )
  }
  return (module.openai ?? module.anthropic)?.(model)
}

/** Whether the packages that a provider needs are here. */
export async function isInstalled(provider: Provider): Promise<boolean> {
  return load(provider).then(
    () => true,
    () => false,
  )
}

async function load(provider: Provider): Promise<ProviderModule> {
  try {
    // Named by a value: these packages are the user's, and must not be missed where they are not wanted.
    await import(String('ai'))
    return (await import(provider.package)) as ProviderModule
  } catch (cause) {
    throw new QuerentError(
      'T1007',
      `The model ${provider.model} needs the packages "ai" and "${provider.package}". ` +
        `Install them: npm install ai ${provider.package}`,
      { cause },
    )
  }
}
