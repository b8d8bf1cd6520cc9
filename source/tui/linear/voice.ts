import type {Safe} from '../../core/untrusted.ts';
import {safe} from '../../terminal/text/safe.ts';
import type {Out} from './asked.ts';
import type {LinearTerminal} from './session.ts';

export type Voice = Out & {
	/** Reads what is left of a text; whether there was any. */
	readonly readOn: () => boolean;
	/** Nobody wants the rest of it. */
	readonly forget: () => void;
	prompt: LinearTerminal['prompt'];
	/** Waits for a line without a prompt. */
	readonly listen: () => void;
	/** A line was typed behind the prompt, and ended. */
	readonly typed: () => void;
	/** Leaves the line of a prompt behind which nothing was typed. */
	readonly breakLine: () => void;
};

/** Lines of a text that are read at once. */
const pageLines = 20;

/** Writes lines, one after the other, none of them into the line of a prompt. */
export function createVoice(
	terminal: LinearTerminal,
	{isOver, onSaid}: {readonly isOver: () => boolean; readonly onSaid: () => void},
): Voice {
	let isPrompted = false;
	let isListening = false;
	let rest: readonly Safe[] = [];

	const breakLine = () => {
		if (isPrompted || (isListening && terminal.isTyping())) {
			isPrompted = false;
			isListening = false;
			terminal.write('\n');
		}
	};
	const say = (text: Safe) => {
		if (!isOver()) {
			breakLine();
			terminal.write(`${text}\n`);
			onSaid();
		}
	};
	const read = (lines: readonly Safe[]) => {
		for (const line of lines.slice(0, pageLines)) {
			say(line);
		}

		rest = lines.slice(pageLines);
		if (rest.length > 0) {
			say(safe`${rest.length} more lines: say more.`);
		}
	};

	return {
		say,
		read,
		readOn() {
			const had = rest.length > 0;
			if (had) {
				read(rest);
			}

			return had;
		},
		forget() {
			rest = [];
		},
		prompt(text, options) {
			isPrompted = true;
			terminal.prompt(text, options);
		},
		listen() {
			isListening = true;
		},
		typed() {
			isPrompted = false;
			isListening = false;
		},
		breakLine,
	};
}
