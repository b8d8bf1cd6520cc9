import {messageOf} from '../../core/errors.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {perform, type Command} from '../acts/command.ts';
import {askToQuit} from '../dialogs/leaving.ts';
import {clean} from '../lines/line.ts';
import type {Shell} from '../shell/shell.ts';
import {announce} from './announce.ts';
import {answerAsked, choiceNamed} from './answer.ts';
import {askNow} from './ask-now.ts';
import {isSameAsked, type Asked, type Out, type Typed} from './asked.ts';
import {performTyped} from './choices.ts';
import {cancelling, isPending} from './leaving.ts';
import {obey} from './obey.ts';
import {createReader} from './reader.ts';
import {whenSettled} from './settled.ts';
import type {Speech} from './speech.ts';
import {createVoice} from './voice.ts';
import {words} from './words.ts';

/** The terminal, as far as the linear mode needs one. */
export type LinearTerminal = {
	/** Writes whole lines, never over what stands there. */
	readonly write: (text: string) => void;
	/** Asks for a line. */
	readonly prompt: (
		text: string,
		options: {readonly isMasked: boolean; readonly isAnswer: boolean},
	) => void;
	/** Whether a line has been begun. */
	readonly isTyping: () => boolean;
	/** Whether another program has the terminal. */
	readonly isLent: () => boolean;
};

export type LinearSession = Disposable & {
	/** Says where it is, and asks for the first line. */
	begin(): void;
	/** Takes the lines of one read. */
	take(lines: readonly Typed[]): void;
	/** Ctrl-C. */
	interrupt(): void;
	/** The end of the input: leaves, after a question where something is pending. */
	end(): void;
};

/** The interface as questions and answers over `shell`. */
export function createLinear(shell: Shell, terminal: LinearTerminal): LinearSession {
	let isWorking = true;
	let asked: Asked | undefined;
	let numbered: ((index: number) => void) | undefined;
	let stopFollowing: (() => void) | undefined;
	let wantsDetail = false;
	let isOver = false;
	let queue: readonly Typed[] = [];
	let settling = 0;

	const voice = createVoice(terminal, {
		isOver: () => isOver,
		onSaid() {
			if (!isWorking) {
				void settle();
			}
		},
	});
	const {say, read} = voice;
	const out: Out = {say, read};
	const reader = createReader(shell, out, () => {
		numbered = undefined;
		voice.forget();
	});

	const speech: Speech = {
		shell,
		out,
		reader,
		number(run) {
			numbered = run;
		},
		readDetail() {
			wantsDetail = true;
		},
		follow() {
			const {title} = shell.section();
			stopFollowing = reader.follow();
			say(
				stopFollowing
					? safe`Rows of ${title} are read as they come. Enter ends it.`
					: safe`${title} does not move by itself: say list.`,
			);
		},
		choose(index) {
			const choose = numbered;
			choose?.(index);
			return choose !== undefined;
		},
		perform: (command, typed = {text: '', t: shell.clock.monotonic(), alone: true}) => {
			doCommand(command, typed);
		},
		readOn() {
			return voice.readOn();
		},
		forget() {
			voice.forget();
		},
	};

	/** Says to what, does it, and says where that led. */
	const doCommand = (command: Command, typed: Typed) => {
		numbered = undefined;
		const pane = shell.pane();
		if (shell.section().commands.some(({id}) => id === command.id)) {
			reader.announceRow();
		}

		performTyped(shell, command, typed);
		if (shell.pane() !== pane && !shell.view.get().overlay) {
			reader.list();
		}
	};

	/** Reads what is there now: a detail that was asked for, a question that is another one. */
	const readNext = () => {
		if (wantsDetail) {
			wantsDetail = false;
			reader.detail();
		}

		const next = askNow(shell);
		if (!isSameAsked(asked, next)) {
			asked = next;
			// What was typed before a question was asked is no answer to it.
			if (next && queue.length > 0) {
				say(literal('A question comes: the other lines that were pasted are left out.'));
				queue = [];
			}

			voice.forget();
			next?.read(out);
		}
	};

	/** Waits until what was begun has ended, reads what is asked then, and asks for a line. */
	const settle = async () => {
		settling += 1;
		const own = settling;
		isWorking = true;
		await whenSettled(shell, {
			isPending: () => askNow(shell)?.isPending === true || (wantsDetail && shell.isLoading()),
			isLent: terminal.isLent,
		});
		// Ctrl-C does not wait for what was begun before it: it asks in its place.
		if (isOver || own !== settling) {
			return;
		}

		try {
			readNext();
		} catch (error) {
			// A pane that cannot be read must not take the others with it.
			say(safe`Not read: ${clean(messageOf(error))}`);
		}

		asked = askNow(shell);
		const [first, ...others] = queue;
		if (first) {
			queue = others;
			handle(first);
			void settle();
			return;
		}

		isWorking = false;
		// Rows come one after the other, and Enter is all that is waited for: a line of ours between them says nothing.
		if (stopFollowing && !asked && !terminal.isTyping()) {
			voice.listen();
			return;
		}

		const text = asked ? asked.prompt : safe`svc ${clean(shell.pane().id)}`;
		voice.prompt(`${text}> `, {
			isMasked: asked?.isMasked === true,
			isAnswer: asked !== undefined,
		});
	};

	const handle = (typed: Typed) => {
		const text = typed.text.trim();
		if (stopFollowing) {
			stopFollowing();
			stopFollowing = undefined;
			say(literal('No longer following.'));
			if (text === '') {
				return;
			}
		}

		try {
			const open = askNow(shell);
			if (open) {
				const isMore = text.toLowerCase() === 'more' && !choiceNamed(open.choices, 'more');
				if (!isMore || !voice.readOn()) {
					answerAsked(open, typed, out);
				}
			} else if (text !== '') {
				obey(speech, text, typed);
			}
		} catch (error) {
			shell.attempt(async () => {
				throw error;
			});
		}
	};

	const stopAnnouncing = announce(shell, {say, isTyping: () => isWorking || terminal.isTyping()});
	let toast = shell.view.get().toast;
	const stopView = shell.view.subscribe(() => {
		const now = shell.view.get().toast;
		if (now !== toast) {
			toast = now;
			if (now) {
				say(now.text);
			}
		}

		if (!isWorking && !isSameAsked(asked, askNow(shell))) {
			voice.breakLine();
			void settle();
		}
	});
	// The sheet of a request that was settled elsewhere closes with the feed.

	return {
		begin() {
			say(safe`svc ${shell.version}, linear. Say help to hear what can be said.`);
			words.find(({names}) => names[0] === 'status')?.run(speech, '');
			void settle();
		},
		take(lines) {
			voice.typed();
			queue = [...queue, ...lines].slice(0, maxQueued);
			if (isWorking) {
				return;
			}

			const [first, ...others] = queue;
			if (first) {
				queue = others;
				isWorking = true;
				handle(first);
				void settle();
			}
		},
		interrupt() {
			const command = cancelling(shell);
			voice.typed();
			terminal.write('\n');
			queue = [];
			stopFollowing?.();
			stopFollowing = undefined;
			isWorking = true;
			if (command) {
				perform(command, shell);
			}

			void settle();
		},
		end() {
			voice.typed();
			terminal.write('\n');
			isWorking = true;
			shell.attempt(async () => {
				if (shell.view.get().overlay?.kind === 'quit' || !(await isPending(shell))) {
					shell.desktop.leave();
				} else {
					askToQuit(shell);
				}
			});
			void settle();
		},
		[Symbol.dispose]() {
			voice.breakLine();

			isOver = true;
			stopAnnouncing();
			stopView();
			stopFollowing?.();
		},
	};
}

const maxQueued = 100;
