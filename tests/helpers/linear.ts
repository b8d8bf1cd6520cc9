import {createLinear} from '../../source/tui/linear/session.ts';
import {createShell, type ShellOptions} from '../../source/tui/shell/create-shell.ts';
import type {Shell} from '../../source/tui/shell/shell.ts';
import {createFakeClock, type FakeClock} from './fake-clock.ts';
import {createFakeLogins, type FakeLogins} from './fake-logins.ts';
import type {FakePort} from './fake-port.ts';
import {createFakeDesktop, testNow, type FakeDesktop} from './show-shell.tsx';

export type SpokenShell = AsyncDisposable & {
	readonly shell: Shell;
	readonly clock: FakeClock;
	readonly desktop: FakeDesktop;
	readonly logins: FakeLogins;
	/** Types lines, one after the other, each with a moment to be answered. */
	say(...lines: readonly string[]): Promise<void>;
	/** Types lines of which each comes a tenth of a second after the one before. */
	hurry(...lines: readonly string[]): Promise<void>;
	/** Lines that come in one read. */
	paste(...lines: readonly string[]): Promise<void>;
	interrupt(): Promise<void>;
	/** Ctrl-C right behind a line. */
	regret(line: string): Promise<void>;
	/** Whether a line is begun, and not ended. */
	type(isTyping: boolean): void;
	/** Lets time pass, and promises settle. */
	pass(ms: number): Promise<void>;
	/** Everything that was read and typed. */
	transcript(): string;
	/** What the program wrote of it. */
	written(): string;
	/** What came since it was asked last. */
	heard(): string;
};

/** How long a person waits at least, so that a detail has been loaded. */
const momentMs = 600;

/** The linear mode over `port`, with a fake clock at noon. */
export async function openLinear(
	port: FakePort,
	options: Partial<ShellOptions> = {},
): Promise<SpokenShell> {
	const clock = createFakeClock(testNow);
	const desktop = createFakeDesktop();
	const logins = createFakeLogins(clock);
	const shell = createShell(
		{port, logins, clock, desktop},
		{
			size: {columns: 80, rows: 29},
			theme: 'mono',
			ssh: false,
			version: '1.0',
			isRead: true,
			...options,
		},
	);
	let transcript = '';
	let written = '';
	let heardTo = 0;
	let isTyping = false;
	const linear = createLinear(shell, {
		write(text) {
			written += text;
			transcript += text;
		},
		prompt(text) {
			written += text;
			transcript += text;
		},
		isTyping: () => isTyping,
		isLent: () => false,
	});
	const settle = async () => {
		for (let turn = 0; turn < 12; turn += 1) {
			// oxlint-disable-next-line no-await-in-loop -- promises of commands need turns of their own
			await new Promise(resolve => {
				setImmediate(resolve);
			});
		}
	};
	const pass = async (ms: number) => {
		await settle();
		for (let rest = ms; rest > 0; rest -= 200) {
			clock.advance(Math.min(200, rest));
			// oxlint-disable-next-line no-await-in-loop -- one step after the other
			await settle();
		}
	};
	const typed = (text: string, alone: boolean) => ({text, t: clock.monotonic(), alone});

	linear.begin();
	await pass(momentMs);
	return {
		shell,
		clock,
		desktop,
		logins,
		async say(...lines) {
			for (const line of lines) {
				transcript += `${line}\n`;
				linear.take([typed(line, true)]);
				// oxlint-disable-next-line no-await-in-loop -- one line after the other
				await pass(momentMs);
			}
		},
		async hurry(...lines) {
			for (const line of lines) {
				transcript += `${line}\n`;
				linear.take([typed(line, true)]);
				// oxlint-disable-next-line no-await-in-loop -- one line after the other
				await pass(100);
			}
		},
		async paste(...lines) {
			transcript += `${lines.join('\n')}\n`;
			linear.take(lines.map(line => typed(line, false)));
			await pass(momentMs);
		},
		async interrupt() {
			transcript += '^C';
			linear.interrupt();
			await pass(momentMs);
		},
		async regret(line) {
			transcript += `${line}\n`;
			linear.take([typed(line, true)]);
			transcript += '^C';
			linear.interrupt();
			await pass(momentMs);
		},
		type(is) {
			isTyping = is;
		},
		pass,
		transcript: () => transcript,
		written: () => written,
		heard() {
			const heard = transcript.slice(heardTo);
			heardTo = transcript.length;
			return heard;
		},
		async [Symbol.asyncDispose]() {
			linear[Symbol.dispose]();
			shell[Symbol.dispose]();
		},
	};
}
