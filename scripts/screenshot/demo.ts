import {fileURLToPath} from 'node:url';
import {send, type DemoEvent} from '../../source/cli/demo/recording.ts';
import {systemClock} from '../../source/core/clock.ts';
import {nodeFlags} from '../../source/core/program.ts';
import {pause, startInTerminal, type DemoTerminal} from './terminal.ts';

const main = fileURLToPath(new URL('../../build/main.js', import.meta.url));

/** `svc --demo --still` in a terminal, with its card on it. */
export type Demo = AsyncDisposable & {
	readonly terminal: DemoTerminal;
	/** Posts events to its receiver, one after the other. */
	readonly send: (...sendings: readonly DemoEvent[]) => Promise<void>;
};

const betweenMs = 130;

/** Starts the program; nothing comes in that is not sent here. */
export async function startDemo(size: {
	readonly cols: number;
	readonly rows: number;
}): Promise<Demo> {
	const terminal = startInTerminal(
		[process.execPath, ...nodeFlags, main, '--demo', '--still'],
		{
			PATH: process.env['PATH'] ?? '',
			TERM: 'xterm-256color',
			COLORTERM: 'truecolor',
			LANG: 'C.UTF-8',
		},
		size,
	);
	await terminal.waitFor('the last 24 hours were played');
	const url = await terminal.find(/http:\/\/127\.0\.0\.1:\d+(?=\/webhooks)/);
	return {
		terminal,
		async send(...sendings) {
			for (const sending of sendings) {
				const {signal} = new AbortController();
				await send(sending, {url, clock: systemClock, signal});
				await pause(betweenMs);
			}
		},
		[Symbol.asyncDispose]: () => terminal[Symbol.asyncDispose](),
	};
}
