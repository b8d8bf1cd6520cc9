import {secret} from './example.ts';

/**
 * The `config.yaml` of a gateway under the load of `tui/steady-load.ts`: what `pushes` gets passes no filter, and what `releases` gets becomes a run of the offline
 * model, unless it is ignored as well. `sections` are other sections.
 */
export const busyConfig = ({
	port,
	model = '{provider: offline}',
	sections = '',
	ignoresAll = false,
}: {
	readonly port: number;
	readonly model?: string;
	readonly sections?: string;
	readonly ignoresAll?: boolean;
}): string => `model: ${model}
runs: {max_queued: 1000000}
${sections}
platforms:
  webhook:
    enabled: true
    host: 127.0.0.1
    port: ${port}
    secret: ${secret}
    rate_limit: 1000000
    routes:
      pushes: &ignored
        events: [push]
        filters: [{field: ref, equals: refs/heads/somewhere-else}]
        prompt: "{ref}"
      releases: ${
				ignoresAll
					? '*ignored'
					: `
        events: [push]
        prompt: "{pusher.name} pushed to {ref} of {repository.full_name}: {head_commit.message}"`
			}
`;
