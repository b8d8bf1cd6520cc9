import {PassThrough} from 'node:stream';
import {stripVTControlCharacters} from 'node:util';
import type {ExitCode} from '../../source/cli/console/context.ts';
import {runCommand} from '../../source/cli/run-command.ts';
import type {FakeClock} from '../helpers/fake-clock.ts';

type TerminalWorld = {
	/** Path of the data directory. */
	readonly home: string;
	readonly clock: FakeClock;
	readonly environment?: Readonly<Record<string, string>>;
	readonly columns?: number;
	readonly rows?: number;
	readonly stdoutIsTerminal?: boolean;
	readonly stderrIsTerminal?: boolean;
	/** Called after each write. */
	readonly onWrite?: () => void;
};

/** A terminal in this process, with a person who reads what is written and types. */
export type Terminal = {
	/** What was written and echoed, without escape sequences. */
	readonly transcript: () => string;
	/** The same as it was written. */
	readonly written: () => string;
	/** Sends bytes in one read. */
	readonly send: (bytes: string) => void;
	/** Types a line: waits a second of the clock, then sends its characters and Enter, each in a read of its own. */
	readonly type: (line: string) => Promise<void>;
	/** Resolves when `text` was written after what was waited for last. */
	readonly waitFor: (text: string | RegExp) => Promise<void>;
	/** Gives both outputs another size. */
	readonly resize: (size: {readonly columns: number; readonly rows: number}) => void;
	/** Ends what is typed. */
	readonly end: () => void;
	readonly hasEnded: () => boolean;
	/** Settles with the exit code of the command. */
	readonly exited: Promise<ExitCode>;
};

/** Lets what was typed be read, and what follows from it be written. */
export const turns = async (count = 3): Promise<void> => {
	for (let turn = 0; turn < count; turn += 1) {
		// oxlint-disable-next-line no-await-in-loop -- one turn after the other
		await new Promise<void>(resolve => {
			setImmediate(resolve);
		});
	}
};

/** Runs a command line on a terminal of this process, with a clock that only typing moves. */
export function openTerminal(
	args: readonly string[],
	{
		home,
		clock,
		environment = {},
		columns = 80,
		rows = 24,
		stdoutIsTerminal = true,
		stderrIsTerminal = true,
		onWrite,
	}: TerminalWorld,
): Terminal {
	const stdin = Object.assign(new PassThrough(), {isTTY: true, isRaw: false, setRawMode() {}});
	const watchers = new Set<() => void>();
	let written = '';
	let waitedTo = 0;
	const outputs: NodeJS.WriteStream[] = [];
	const output = (isTTY = true) => {
		const stream = Object.assign(new PassThrough(), {
			isTTY,
			columns,
			rows,
			getColorDepth: () => 8,
		});
		stream.setEncoding('utf8').on('data', (text: string) => {
			written += text;
			onWrite?.();
			for (const watcher of watchers) {
				watcher();
			}
		});
		outputs.push(stream as unknown as NodeJS.WriteStream);
		return stream as unknown as NodeJS.WriteStream;
	};

	let hasEnded = false;
	const ending = runCommand(args, {
		stdin: stdin as unknown as NodeJS.ReadStream,
		stdout: output(stdoutIsTerminal),
		stderr: output(stderrIsTerminal),
		environment: {
			PATH: process.env['PATH'] ?? '',
			HOME: home,
			SVC_HOME: home,
			API_ENABLED: 'false',
			TERM: 'xterm',
			...environment,
		},
		clock,
	});
	const transcript = () =>
		stripVTControlCharacters(written).replaceAll('\r\n', '\n').replaceAll('\r', '');
	const exited = (async () => {
		const code = await ending;
		await turns();
		hasEnded = true;
		for (const watcher of watchers) {
			watcher();
		}

		return code;
	})();

	return {
		transcript,
		written: () => written,
		send(bytes) {
			stdin.write(bytes);
		},
		async type(line) {
			await turns();
			clock.advance(1000);
			for (const character of [...line.split(''), '\r']) {
				stdin.write(character);
				// oxlint-disable-next-line no-await-in-loop -- one key after the other
				await turns(1);
			}
		},
		async waitFor(text) {
			const {promise, resolve, reject} = Promise.withResolvers<void>();
			const look = () => {
				const rest = transcript().slice(waitedTo);
				const at = typeof text === 'string' ? rest.indexOf(text) : rest.search(text);
				if (at !== -1) {
					waitedTo += at + (typeof text === 'string' ? text.length : 1);
					resolve();
				} else if (hasEnded) {
					reject(new Error(`Ended without ${String(text)}; written:\n${transcript()}`));
				}
			};

			watchers.add(look);
			look();
			try {
				await promise;
			} finally {
				watchers.delete(look);
			}
		},
		resize(size) {
			for (const stream of outputs) {
				Object.assign(stream, size);
			}
		},
		end() {
			stdin.end();
		},
		hasEnded: () => hasEnded,
		exited,
	};
}
