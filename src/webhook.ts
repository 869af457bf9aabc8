export { type WebhookOptions, webhook } from './notifiers/webhook/webhook.ts'
