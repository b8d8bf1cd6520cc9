import type {Environment} from '../../config/environment.ts';
import type {Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {runInGroup} from '../../core/process-group.ts';
import type {StoredRun} from '../../core/run.ts';
import {clientEnvironment} from '../../platforms/forge-comment/client-environment.ts';
import type {ForgeClient} from '../../platforms/forge-comment/descriptor.ts';
import {failureOfClient} from '../../platforms/forge-comment/forge-failure.ts';
import {clientFor} from '../../platforms/forge-comment/pull-request.ts';
import type {ToolsRun} from '../../tools/toolset.ts';

const timeoutMs = 10_000;

const kept = {limitBytes: 4096, above: 'keep-start'} as const;

/**
 * What the tools of a run may know of the code host: its client, and the repository that the event is about. The token is asked of the client, outside of any sandbox, when it is needed.
 *
 * @see manual/sandbox-network.md#forge
 */
export function forgeOfRun(
	{plan: {repository}}: Pick<StoredRun, 'plan'>,
	options: {
		readonly clock: Clock;
		readonly forge: ForgeClient;
		/** Of the process, and of the profile: what the client may have is taken from them. */
		readonly environments: {readonly own: Environment; readonly profile: Environment};
		readonly signal: AbortSignal;
	},
): ToolsRun['forge'] {
	const {clock, forge, environments, signal} = options;
	const cli = clientFor('github', forge.cli);
	const env = clientEnvironment(cli, environments);
	const host = (env['GH_HOST'] ?? '').toLowerCase();
	const failed = (reason: string) =>
		new SvcError('forge_failed', `Cannot get the token of "${cli}": ${reason}`);
	return {
		cli,
		host: host || 'github.com',
		...(repository !== undefined && {repository}),
		async token() {
			if (forge.broken !== undefined && cli === forge.cli) {
				throw failed(forge.broken);
			}

			const exit = await runInGroup(
				{
					command: cli,
					// Older ones take none of GH_HOST.
					args: ['auth', 'token', ...(host === '' ? [] : ['--hostname', host])],
					env,
					// As of every call of the client: no folder near the gateway may influence it.
					cwd: '/',
					input: '',
					stdout: kept,
					stderr: kept,
					timeoutMs,
					termGraceMs: 0,
					signal,
				},
				{clock},
			);
			if (exit.kind !== 'exited' && exit.kind !== 'not-started') {
				throw failed(`it was not done within ${timeoutMs / 1000} s`);
			}

			if (exit.kind === 'not-started' || exit.code !== 0) {
				throw failed(failureOfClient(exit, cli).reason);
			}

			const token = exit.stdout.trim();
			if (!/^[!-~]+$/.test(token)) {
				throw failed(`it printed none; log in with "${cli} auth login"`);
			}

			return token;
		},
	};
}
