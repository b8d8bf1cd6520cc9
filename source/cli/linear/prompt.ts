import {EventEmitter} from 'node:events';
import {Writable} from 'node:stream';
import {setImmediate} from 'node:timers/promises';
import {messageOf} from '../../core/errors.ts';
import {isUnfinished, splitCommand} from '../../core/shell-words.ts';
import type {GatewayPort} from '../../gateway/port.ts';
import {askAgain, askLine, canAsk, isYes} from '../console/ask-line.ts';
import {emptyInput} from '../console/captured-run.ts';
import type {Context, ExitCode} from '../console/context.ts';
import {tell, tellEach} from '../console/print.ts';
import {createPipedLines, createTypedLines, type LinesEnd, words} from './lines.ts';
import {announceNeeds} from './needs.ts';

/** How the prompt ended: by the person or the end of the input, by loss of the terminal, or by `ended`. */
export type PromptEnd = LinesEnd & {
	/** The last command's exit code. */
	readonly code: ExitCode;
};

export type Prompt = {
	readonly context: Context;
	readonly port: GatewayPort;
	/** Aborts when the process is asked to stop, or the gateway ends. */
	readonly ended: AbortSignal;
};

/** Reads command lines and runs each in this process, until the person leaves. Prints what needs a person between them. */
export async function runPrompt({context, port, ended}: Prompt): Promise<PromptEnd> {
	const {stdin, stdout, clock} = context;
	const isTerminal = stdin.isTTY && stdout.isTTY;
	const input = isTerminal ? createTypedLines(context, ended) : createPipedLines(context, ended);
	using _ = input;
	using stack = new DisposableStack();
	stack.defer(
		announceNeeds(port, {
			clock,
			isBusy: () => isTerminal && (input.isTyping() || (stdin.isRaw && !input.isOpen())),
			say(lines) {
				input.aside(() => tellEach(context, lines));
				if (!input.isOpen()) {
					askAgain(stdin);
				}
			},
		}),
	);
	let code: ExitCode = 0;
	for (;;) {
		// oxlint-disable-next-line no-await-in-loop -- one command after the other
		const line = await input.next();
		if (typeof line !== 'string') {
			return {...line, code};
		}

		if (/^\s*(?:quit|exit)\s*$/.test(line)) {
			return {reason: 'quit', code};
		}

		// oxlint-disable-next-line no-await-in-loop
		code = await obey({context, port, ended}, line);
		if (code === 130) {
			input.drop();
		}

		if (ended.aborted) {
			return {reason: 'aborted', code};
		}
	}
}

/** Runs a line. Never rejects. */
async function obey({context, port, ended}: Prompt, line: string): Promise<ExitCode> {
	if (isUnfinished(line)) {
		tell(context, 'Not understood: a quotation mark, or a backslash, waits for more');
		return 2;
	}

	const [first, ...rest] = splitCommand(line);
	const argv = first === 'svc' ? rest : [first ?? '', ...rest];
	const [word = '', operand = ''] = argv;
	if (word === '') {
		return 0;
	}

	try {
		switch (word) {
			case 'help':
				if (operand !== '') {
					return await run(context, argv, ended);
				}

				await run(context, ['--help'], ended);
				tell(context, '\nAt this prompt also:');
				for (const [name, says] of Object.entries(words)) {
					tell(context, `  ${name.padEnd(12)} ${says}`);
				}

				return 0;

			case '/reload-mcp': {
				const {changes} = await port.planServerReload();
				await port.reload();
				tell(context, ['The tool servers are read again', ...changes].join('\n'));
				return 0;
			}

			case '/use-model': {
				const {modelOffer} = port.getState();
				if (modelOffer) {
					await port.useModel(modelOffer.provider);
				}

				tell(context, modelOffer ? `${modelOffer.name} is used` : 'No model waits for a yes');
				return modelOffer ? 0 : 1;
			}

			case '/install': {
				const offered = (await port.listInstalls()).find(({id}) => String(id) === operand);
				if (!offered) {
					tell(context, `No link of the number "${operand}" waits`);
					return 1;
				}

				const flags = argv.slice(2);
				const code = await run(context, ['mcp', 'install', offered.link, ...flags], ended);
				if (code === 0 ? !flags.some(isLook) : await isDropped(context, {code, ended})) {
					await port.dismissInstall(offered.id);
				}

				return code;
			}

			default:
				return await run(context, argv, ended);
		}
	} catch (error) {
		tell(context, messageOf(error));
		return 1;
	}
}

/** Whether a flag of an installation means to change nothing. */
const isLook = (flag: string): boolean => ['--dry-run', '--help', '-h'].includes(flag);

/** Whether the person discards a link that was not installed; else it keeps waiting. */
async function isDropped(
	context: Context,
	{code, ended}: {readonly code: ExitCode; readonly ended: AbortSignal},
): Promise<boolean> {
	if (code !== 1 || !canAsk(context)) {
		return false;
	}

	const {text} = await askLine({...context, signal: ended}, 'Drop the link? [y/N] ');
	return isYes(text);
}

/**
 * Runs a command on this terminal. The first Ctrl-C goes to the command if it listens, else abandons it; the second one always does. An abandoned command prints
 * and asks nothing more.
 */
async function run(
	context: Context,
	argv: readonly string[],
	ended: AbortSignal,
): Promise<ExitCode> {
	const {stdin, stdout, stderr, clock, environment} = context;
	const giving = new AbortController();
	const {signal} = giving;
	const interrupts = new EventEmitter();
	let count = 0;
	const onInterrupt = () => {
		count += 1;
		if (count === 1 && interrupts.listenerCount('SIGINT') > 0) {
			interrupts.emit('SIGINT');
		} else {
			giving.abort();
		}
	};
	const onEnd = () => giving.abort();
	process.on('SIGINT', onInterrupt);
	ended.addEventListener('abort', onEnd);
	if (ended.aborted) {
		giving.abort();
	}

	const givenUp = new Promise<ExitCode>(resolve => {
		signal.addEventListener('abort', () => resolve(130));
	});
	const {profile} = context.paths();
	const hasProfile = argv.some(word => /^(?:-p|--profile(?:=.*)?)$/.test(word));
	try {
		const running = context.run(
			profile === 'default' || hasProfile ? argv : ['-p', profile, ...argv],
			{
				stdin: inputFor(context),
				stdout: gated(stdout, signal),
				stderr: gated(stderr, signal),
				environment,
				clock,
				signal,
				interrupts,
				appendsOnly: stdin.isTTY && stdout.isTTY,
			},
		);
		const code = await Promise.race([running, givenUp]);
		if (signal.aborted) {
			// An open question releases the terminal first.
			await setImmediate();
		}

		if (signal.aborted && !ended.aborted) {
			tell(context, 'Given up; what it had begun may still be done');
		}

		return code;
	} finally {
		process.off('SIGINT', onInterrupt);
		ended.removeEventListener('abort', onEnd);
	}
}

/**
 * The input of a command: empty if lines come from a pipe, because commands would be taken for its answers. On a terminal it still is one, so that a confirmation
 * is refused rather than assumed as for a script.
 */
function inputFor({stdin, stdout}: Context): NodeJS.ReadStream {
	if (stdin.isTTY && stdout.isTTY) {
		return stdin;
	}

	return Object.assign(emptyInput(), {isTTY: stdin.isTTY});
}

/** A stream for one command, with its own listeners; nothing is written after `signal` aborts. */
function gated(stream: NodeJS.WriteStream, signal: AbortSignal): NodeJS.WriteStream {
	const gate = new Writable({
		decodeStrings: false,
		write(chunk: string | Buffer, _encoding, done) {
			if (chunk === '' && !signal.aborted) {
				// An empty write asks whether earlier output was flushed.
				stream.write(chunk, done);
				return;
			}

			if (!signal.aborted) {
				stream.write(chunk);
			}

			done();
		},
	});
	// A terminal's size may change while a command runs.
	Object.defineProperties(gate, {
		isTTY: {get: () => stream.isTTY},
		columns: {get: () => stream.columns},
		rows: {get: () => stream.rows},
		getColorDepth: {value: (environment?: object) => stream.getColorDepth(environment)},
	});
	// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what commands ask of a terminal is there
	return gate as unknown as NodeJS.WriteStream;
}
