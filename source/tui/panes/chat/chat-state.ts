import {areaText, type AreaText} from '../../../terminal/text/area-editor.ts';
import {lineText, type LineText} from '../../../terminal/text/line-editor.ts';
import type {Host} from '../../shell/shell.ts';
import type {LocalState} from '../../state/source.ts';

/** What was said last from here, until its answer is in the session. */
export type SaidTurn = {
	readonly text: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	/** Absent until the gateway has taken it. */
	readonly run?: number;
};

/** The conversation of this shell. It stays when another pane is looked at. */
export type ChatState = {
	readonly mode: 'read' | 'write' | 'find';
	/** The open session; absent: the next thing that is said begins one. */
	readonly session: string | undefined;
	/** What is being written. */
	readonly text: AreaText;
	readonly turn: SaidTurn | undefined;
	/** The first row that is shown; absent: the last ones are, as they come. */
	readonly top: number | undefined;
	/** What sessions are looked for by, and the chosen one. */
	readonly query: LineText;
	readonly index: number;
};

const chatState: LocalState<ChatState> = {
	initial: {
		mode: 'read',
		session: undefined,
		text: areaText(),
		turn: undefined,
		top: undefined,
		query: lineText(),
		index: 0,
	},
};

export const chatNow = ({local}: Host): ChatState => local(chatState).get();

export function changeChat({local}: Host, update: (state: ChatState) => Partial<ChatState>): void {
	local(chatState).set(state => ({...state, ...update(state)}));
}
