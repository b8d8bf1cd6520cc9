import {sleep, type Clock} from '../../core/clock.ts';
import {SvcError} from '../../core/errors.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {paneKey} from '../panes/pane.ts';
import {panes} from '../panes/panes.ts';
import {createShell} from '../shell/create-shell.ts';
import type {Shell} from '../shell/shell.ts';
import type {Size} from '../state/view.ts';
import type {ThemeName} from '../theme/theme.ts';
import {drawScreen, type DrawnScreen} from './draw-screen.tsx';
import {nobodysDesktop, nobodysLogins} from './nobody.ts';

type SnapshotOptions = {
	/** `Pane.id`. */
	readonly pane: string;
	readonly size: Size;
	readonly theme: ThemeName;
	/** Keys by name, pressed one after the other; each waits until loading has finished. */
	readonly keys: readonly string[];
	/** The filter of the pane's list. */
	readonly filter?: string;
	readonly version: string;
};

/** The time limit for everything together. */
const limitMs = 10_000;

/** The interval between checks while something is pending. */
const pollMs = 5;

/** A screen with a clock or a stream of events never comes to rest: this many turns with nothing pending are enough. */
const quietTurns = 3;

/** The panes' ids in the order of their keys, and the key that opens each. */
export const paneNames: ReadonlyArray<{readonly id: string; readonly key: string}> = panes.map(
	({id}, index) => ({id, key: paneKey(index) ?? ''}),
);

type SnapshotWorld = {
	readonly port: GatewayPort;
	readonly clock: Clock;
	readonly isAnswering: () => boolean;
};

/**
 * The interface over `port` as one frame: rows of text with colours (SGR) and no other sequence. Waits until everything shown is loaded; `isAnswering` says
 * whether `port` still owes an answer.
 *
 * @throws SvcError `snapshot_timeout` with what was missing, `filter_invalid`
 */
export async function takeSnapshot(
	{port, clock, isAnswering}: SnapshotWorld,
	{pane, size, theme, keys, filter, version}: SnapshotOptions,
): Promise<string> {
	using shell = createShell(
		{port, logins: nobodysLogins, clock, desktop: nobodysDesktop},
		{size, theme, ssh: false, version, pane},
	);
	if (filter !== undefined) {
		filterList(shell, filter);
	}

	await using screen = drawScreen(shell);
	const until = clock.monotonic() + limitMs;
	const rest = async (after: string) => {
		await settled(screen, {
			clock,
			until,
			after,
			missing: () =>
				[
					isAnswering() && 'the gateway still owes an answer',
					shell.isLoading() && 'what is shown has not been loaded',
				].find(text => text !== false),
		});
	};

	await rest(`opening the pane "${pane}"`);
	for (const key of keys) {
		screen.press(key);
		// oxlint-disable-next-line no-await-in-loop -- one key after the other
		await rest(`the key "${escapeLine(key, 20)}"`);
	}

	return screen.frame();
}

type Rest = {
	readonly clock: Clock;
	/** Monotonic deadline. */
	readonly until: number;
	readonly after: string;
	/** What is still pending. */
	readonly missing: () => string | undefined;
};

async function settled(screen: DrawnScreen, {clock, until, after, missing}: Rest): Promise<void> {
	for (let quiet = 0; quiet < quietTurns;) {
		// oxlint-disable-next-line no-await-in-loop -- turn after turn
		const moved = await screen.turn();
		const what = missing();
		quiet = moved || what !== undefined ? 0 : quiet + 1;
		if (clock.monotonic() > until) {
			if (what === undefined) {
				// The screen keeps moving, but everything is loaded.
				return;
			}

			throw new SvcError(
				'snapshot_timeout',
				`Cannot take a snapshot within ${limitMs / 1000} s: after ${after}, ${what}`,
			);
		}

		if (quiet === 0) {
			// oxlint-disable-next-line no-await-in-loop -- as above
			await sleep(clock, pollMs);
		}
	}
}

function filterList(shell: Shell, filter: string): void {
	const list = shell.openList();
	list?.setFilter(filter);
	const problem = list
		? list.get().filter.problem
		: `the pane "${shell.pane().id}" has no list that could be filtered`;
	if (problem !== undefined) {
		throw new SvcError(
			'filter_invalid',
			`Cannot use filter "${escapeLine(filter, 200)}": ${problem}`,
		);
	}
}
