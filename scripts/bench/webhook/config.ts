import {secret} from '../example.ts';

/** What is measured, by the name of its route. */
export type RouteName = 'ignored' | 'direct' | 'accept' | 'coalesced';

/**
 * The configuration of the servers under test: limits so high that they never speak. `modelUrl` is a model that never answers, so that
 * the complete program queues runs and works on none.
 */
export const webhookConfig = ({
	modelUrl = 'http://127.0.0.1:9/v1',
	otherRoutes = 0,
}: {readonly modelUrl?: string; readonly otherRoutes?: number} = {}): string => `model:
  provider: openai-compatible
  name: silent
  base_url: ${modelUrl}
runs:
  concurrency: 1
  max_queued: 1000000
  timeout_seconds: 3600
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    port: 0
    secret: ${secret}
    rate_limit: 1000000
    routes:
      ignored:
        events: [push]
        filters:
          - {field: repository.full_name, exists: true}
          - {field: ref, equals: refs/heads/somewhere-else}
        prompt: "{ref} of {repository.full_name}"
      direct:
        events: [push]
        prompt: "{pusher.name} pushed to {ref} of {repository.full_name}"
        deliver: email
        deliver_only: true
        deliver_extra: {chat_id: somebody@example.com}
      accept:
        events: [push]
        filters:
          - {field: repository.full_name, exists: true}
        prompt: "{pusher.name} pushed to {ref} of {repository.full_name}: {head_commit.message}"
      coalesced:
        events: [push]
        prompt: "{pusher.name} pushed to {ref} of {repository.full_name}: {head_commit.message}"
        coalesce: {key: "{repository.full_name}", window_seconds: 3600, max_wait_seconds: 7200}
${Array.from({length: otherRoutes}, (_, index) => otherRoute(index)).join('')}`;

function otherRoute(index: number): string {
	return `      other-${index}:
        events: [push, pull_request]
        secret: other-secret-${index}
        filters: [{field: ref, regex: "^refs/heads/branch-${index}$"}]
        prompt: "{ref} of {repository.full_name}"
`;
}
