import {createMemory, derive} from '../../../core/derive.ts';
import type {Line} from '../../lines/line.ts';
import type {Host} from '../../shell/shell.ts';
import {conversationNow} from './chat-loads.ts';
import {chatRows} from './chat-rows.ts';
import {chatNow, runOfTurn} from './chat-state.ts';

type Shown = Pick<Host, 'local' | 'loader' | 'feed'>;

/** One for each shell. */
const memoryOf = derive((_feed: object) => createMemory<readonly Line[]>());

/** The conversation as rows of `width` cells; the same array while nothing changed. */
export function chatLines(host: Shown, width: number): readonly Line[] {
	const {state, now} = host.feed.get();
	const chat = chatNow(host);
	const {turn} = chat;
	const run = runOfTurn(chat, state);
	const progress = run && state.progress[run.id];
	const said = run && state.said?.[run.id];
	const approval = run && state.approvals.find(one => one.run === run.id);
	const conversation = conversationNow(host);
	// Only the time that is left to answer moves by itself.
	const second = approval ? Math.floor(now / 1000) : 0;
	return memoryOf(host.feed)(
		[conversation, turn, run, progress, said, approval, second, width],
		() => chatRows({conversation, turn, run, progress, said, approval, now}, width),
	);
}
