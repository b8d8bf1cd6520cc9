import {createFakeClock, type FakeClock} from '../../helpers/fake-clock.ts';
import {createFakePort, type FakePort} from '../../helpers/fake-port.ts';
import {interrupt} from '../../helpers/interrupt.ts';
import {temporaryHome} from '../../helpers/temporary-home.ts';
import {serveControl} from '../command.ts';
import {openTerminal, turns, type Terminal} from '../terminal.ts';

export type OpenPrompt = AsyncDisposable & {
	readonly home: string;
	readonly port: FakePort;
	readonly clock: FakeClock;
	readonly terminal: Terminal;
	/** Types lines, each after the last one was answered: a prompt, or a question. */
	readonly say: (...lines: readonly string[]) => Promise<void>;
	/** What was written and typed, without what differs from run to run. */
	readonly transcript: () => string;
};

/** Noon of the day of the helpers' records. */
export const noon = Date.parse('2026-11-20T12:00:00Z');

/** What a question or the prompt ends with. */
const asked = /(?:svc> |\] |: |leaves |you> |ends it\) )$/;

/** `svc --linear` on a terminal of this process, attached to `port`. */
export async function openPrompt(
	port: FakePort = createFakePort(),
	options: Partial<Parameters<typeof openTerminal>[1]> = {},
): Promise<OpenPrompt> {
	const stack = new AsyncDisposableStack();
	const home = stack.use(await temporaryHome());
	stack.use(await serveControl(home.path, port));
	const clock = createFakeClock(noon);
	const terminal = openTerminal(['--linear'], {home: home.path, clock, ...options});
	await terminal.waitFor('svc> ');
	stack.defer(async () => {
		terminal.end();
		for (let turn = 0; !terminal.hasEnded(); turn += 1) {
			// A command that goes on is given up.
			if (turn > 20 && process.listenerCount('SIGINT') > 0) {
				interrupt();
			}

			// oxlint-disable-next-line no-await-in-loop -- until it is over
			await turns();
		}
	});
	return {
		home: home.path,
		port,
		clock,
		terminal,
		async say(...lines) {
			for (const line of lines) {
				// oxlint-disable-next-line no-await-in-loop -- one line after the other
				await terminal.type(line);
				// oxlint-disable-next-line no-await-in-loop
				await terminal.waitFor(asked);
				// oxlint-disable-next-line no-await-in-loop
				await turns();
			}
		},
		transcript: () =>
			terminal
				.transcript()
				.replaceAll(home.path, '/home/ann/.svc')
				.replaceAll(/[^\S\n]+$/gm, ''),
		[Symbol.asyncDispose]: () => stack.disposeAsync(),
	};
}
