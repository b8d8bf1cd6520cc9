import type {Environment} from '../../config/environment.ts';
import {sandboxedToolsets} from '../../config/toolset-settings.ts';
import type {Clock} from '../../core/clock.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import {runInGroup} from '../../core/process-group.ts';
import type {StoredRun} from '../../core/run.ts';
import {clientEnvironment} from '../../platforms/forge-comment/client-environment.ts';
import type {ForgeClient} from '../../platforms/forge-comment/descriptor.ts';
import {failureOfClient} from '../../platforms/forge-comment/forge-failure.ts';
import {clientFor} from '../../platforms/forge-comment/pull-request.ts';
import type {ToolsRun, ToolsWorld} from '../../tools/toolset.ts';
import {makeCheckoutFolder} from './checkout-folder.ts';
import type {CheckoutPlace} from './get-checkout.ts';

/** What `getCheckout` and the run's tools need to know of the checkout's folder. */
type PlacedCheckout =
	| (Extract<CheckoutPlace, {readonly kind: 'folder'}> &
			Pick<NonNullable<ToolsRun['checkout']>, 'of'>)
	| Extract<CheckoutPlace, {readonly kind: 'none'}>;

/**
 * Creates an empty folder for the checkout in the plan of a run, which is removed with `stack`; `undefined` when the plan has no checkout or the event names no pull request.
 *
 * @throws SvcError `prefetch_failed`: the folder cannot be made
 * @see manual/prefetch.md#checkout
 */
export async function placeCheckout(
	{plan: {prefetch, toolsets}}: Pick<StoredRun, 'plan'>,
	{run, world}: {readonly run: ToolsRun; readonly world: ToolsWorld},
	stack: AsyncDisposableStack,
): Promise<PlacedCheckout | undefined> {
	const {what = [], pullRequest} = prefetch ?? {};
	if (!what.includes('checkout') || !pullRequest) {
		return undefined;
	}

	if (pullRequest.host !== 'github') {
		return {kind: 'none', reason: 'checkouts are got from GitHub alone'};
	}

	const {cwdOf, toolsSandbox} = await import('../../tools/sandbox/tools-sandbox.ts');
	const settings = world.settings();
	let reason = 'neither "terminal" nor "file" is among the toolsets of the route';
	for (const of of sandboxedToolsets) {
		const {broken} = settings[of];
		if (!toolsets?.includes(of)) {
			continue;
		}

		// oxlint-disable-next-line no-await-in-loop -- uses the first that works
		const found = await toolsSandbox(of, run, world);
		if (broken === undefined && found.kind !== 'none') {
			// oxlint-disable-next-line no-await-in-loop -- as above
			const folder = await newFolder(
				{run, place: `${pullRequest.repo}#${pullRequest.number}`},
				world,
				stack,
			);
			// oxlint-disable-next-line no-await-in-loop -- as above
			const placed = await toolsSandbox(of, {...run, checkout: {folder, of}}, world);
			return {kind: 'folder', folder, of, path: cwdOf(placed)};
		}

		reason = `no tool can work in it: ${broken ?? (found.kind === 'none' ? found.reason : '')}`;
	}

	return {kind: 'none', reason};
}

async function newFolder(
	{run: {id, profile}, place}: {readonly run: ToolsRun; readonly place: string},
	world: ToolsWorld,
	stack: AsyncDisposableStack,
): Promise<string> {
	try {
		return await makeCheckoutFolder({runId: id, profileHome: profile.home}, world, stack);
	} catch (error) {
		throw new SvcError(
			'prefetch_failed',
			`Cannot get the checkout of ${place}: no folder can be made for it: ${messageOf(error)}`,
			{cause: error},
		);
	}
}

const timeoutMs = 10_000;

const kept = {limitBytes: 4096, above: 'keep-start'} as const;

/**
 * What the tools of a run may know of the code host: its client, and the repository of the event. The token is requested from the client, outside any sandbox, when needed.
 *
 * @see manual/sandbox-network.md#forge
 */
export function forgeOfRun(
	{plan: {repository}}: Pick<StoredRun, 'plan'>,
	options: {
		readonly clock: Clock;
		readonly forge: ForgeClient;
		/** Environments of the process and of the profile, from which the client's own is selected. */
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
					// Older clients ignore GH_HOST here.
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
