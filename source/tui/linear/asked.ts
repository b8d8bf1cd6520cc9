import type {Safe} from '../../core/untrusted.ts';

/** A line that a person has typed. */
export type Typed = {
	readonly text: string;
	/** When it was read: `Clock.monotonic()`. */
	readonly t: number;
	/** Whether its read held nothing else: of a paste of several lines none is alone. */
	readonly alone: boolean;
};

/** Where what is read goes. */
export type Out = {
	readonly say: (text: Safe) => void;
	/** In pages: what is left over is read by `more`. */
	readonly read: (lines: readonly Safe[]) => void;
};

/** One of the answers to a question. */
export type Choice = {
	/** The word that is typed for it. */
	readonly word: string;
	/** Keys of the screen that do the same. */
	readonly keys?: readonly string[];
	readonly label: Safe;
	/** Why it cannot be chosen now. */
	readonly why?: Safe | undefined;
	/** Only its word chooses it: no number and no beginning of it. */
	readonly isExact?: boolean;
	readonly run: (typed: Typed, out: Out) => void;
};

/** What is asked of a person now, in place of a command. */
export type Asked = {
	/** What it is about: when any of these is another value, another question is asked, and read out. */
	readonly of: readonly unknown[];
	/** What stands before the answer, without its `>`. */
	readonly prompt: Safe;
	readonly read: (out: Out) => void;
	readonly choices: readonly Choice[];
	/** Takes what is none of the choices. */
	readonly take?: (typed: Typed, out: Out) => void;
	/** What an empty line does; absent: it says what can be answered. */
	readonly skip?: (out: Out) => void;
	/** What is typed is not shown, and not remembered. */
	readonly isMasked?: boolean;
	/** What is to be read is not there yet. */
	readonly isPending?: boolean;
};

/** Whether the same is asked. */
export const isSameAsked = (one: Asked | undefined, other: Asked | undefined): boolean =>
	one?.of.length === other?.of.length &&
	(one?.of ?? []).every((value, index) => value === other?.of[index]);
