import {sandboxedToolsets} from '../../config/toolset-settings.ts';
import {messageOf, SvcError} from '../../core/errors.ts';
import type {StoredRun} from '../../core/run.ts';
import type {ToolsRun, ToolsWorld} from '../../tools/toolset.ts';
import {makeCheckoutFolder} from './checkout-folder.ts';
import type {CheckoutPlace} from './get-checkout.ts';

/** What `getCheckout` and the tools of a run need of it. */
export type PlacedCheckout =
	| (Extract<CheckoutPlace, {readonly kind: 'folder'}> &
			Pick<NonNullable<ToolsRun['checkout']>, 'of'>)
	| Extract<CheckoutPlace, {readonly kind: 'none'}>;

/**
 * An empty folder for the checkout that the plan of a run wants, which ends with `stack`; `undefined`: it wants none, or its event names no pull request.
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

		// oxlint-disable-next-line no-await-in-loop -- the first that works
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
