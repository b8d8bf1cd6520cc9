import {stopAll} from '../../core/stops.ts';
import type {Shell} from '../shell/shell.ts';

/** What takes longer tells by itself when it is done. */
const mostMs = 1500;

/** Waits for what a command began: its promises, what it loads, and a program that has the terminal; no longer than a second and a half without such a program. */
export async function whenSettled(
	shell: Shell,
	{isPending, isLent}: {readonly isPending: () => boolean; readonly isLent: () => boolean},
): Promise<void> {
	const isBusy = () => shell.attempts.get() > 0 || isPending() || isLent();
	await turn();
	if (!isBusy()) {
		return;
	}

	const {promise, resolve} = Promise.withResolvers<void>();
	let isLate = false;
	const look = () => {
		if (!isBusy() || (isLate && !isLent())) {
			resolve();
		}
	};
	const stop = stopAll([
		shell.attempts.subscribe(look),
		shell.loads.subscribe(look),
		shell.view.subscribe(look),
		shell.clock.after(mostMs, () => {
			isLate = true;
			look();
		}),
	]);
	try {
		await promise;
	} finally {
		stop();
	}

	await turn();
}

/** Lets what is settled already be told. */
const turn = async (): Promise<void> => {
	await new Promise<void>(resolve => {
		setImmediate(resolve);
	});
};
