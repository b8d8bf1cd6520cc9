import type {Command} from '../acts/command.ts';
import {openPane} from '../acts/navigate.ts';
import type {Shell} from '../shell/shell.ts';
import type {Out, Typed} from './asked.ts';
import type {Reader} from './reader.ts';

/** What a word is given. */
export type Speech = {
	readonly shell: Shell;
	readonly out: Out;
	readonly reader: Reader;
	/** What a number alone means from now on, until something else is numbered. */
	readonly number: (run: ((index: number) => void) | undefined) => void;
	/** Chooses by a number what was numbered last; `false` where nothing was. */
	readonly choose: (index: number) => boolean;
	/** Reads the detail of what is selected, once it is there. */
	readonly readDetail: () => void;
	/** Reads rows as they come, until a line is typed. */
	readonly follow: () => void;
	/** Does a command, and says what it is done to. */
	readonly perform: (command: Command, typed?: Typed) => void;
	/** Reads what is left of a text; whether there was any. */
	readonly readOn: () => boolean;
	/** Nobody wants what is left of it. */
	readonly forget: () => void;
};

/** The number that a text is. */
export const numberOf = (text: string): number | undefined =>
	/^#?\d{1,6}$/.test(text) ? Number(text.replace('#', '')) : undefined;

/** Opens a pane, and reads its list. */
export function goTo({shell, reader, number}: Speech, id: string): void {
	number(undefined);
	openPane(shell, id);
	reader.list();
}

/** The pane of this number, name, or beginning of a name. */
export function paneNamed(shell: Shell, text: string): string | undefined {
	const wanted = text.toLowerCase();
	const at = numberOf(text);
	const named = shell.panes.find(({id, title}) => id === wanted || title.toLowerCase() === wanted);
	return (at === undefined ? named : shell.panes[at - 1])?.id;
}
