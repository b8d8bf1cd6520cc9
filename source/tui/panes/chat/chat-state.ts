import {areaText, type AreaText} from '../../../terminal/text/area-editor.ts';
import {lineText, type LineText} from '../../../terminal/text/line-editor.ts';
import type {Host} from '../../shell/shell.ts';
import type {LocalState} from '../../state/source.ts';

/** The last message sent from here, until the session contains its answer. */
export type SaidTurn = {
	readonly text: string;
	/** Milliseconds since 1970. */
	readonly at: number;
	/** Absent until the gateway has accepted the message. */
	readonly run?: number;
};

/** The conversation open in this shell; kept while another pane is open. */
export type ChatState = {
	readonly mode: 'read' | 'write' | 'find';
	/** The open session; absent: the next message begins one. */
	readonly session: string | undefined;
	/** The text being written. */
	readonly text: AreaText;
	readonly turn: SaidTurn | undefined;
	/** The first visible row; absent: follows the newest. */
	readonly top: number | undefined;
	/** The search for sessions, and the selected result. */
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
