import type {ServerView} from '../../../core/tool-server.ts';
import {atFirst} from '../../list/window.ts';
import {rowsBelow, type ListSource} from '../../shell/source.ts';
import {createList, type List} from '../../state/list.ts';
import {reasonRows} from './server-columns.ts';
import {serverKey, serverVocabulary} from './server-key.ts';

/** The tool servers of all profiles. */
export const serverList: ListSource<List<ServerView>> = {
	id: 'tools',
	open(host, filter) {
		const rows = rowsBelow(host, 1);
		return createList(host.feed, {
			keyOf: serverKey,
			vocabulary: serverVocabulary,
			read: state => state.servers,
			height: () => Math.max(0, rows() - reasonRows(host.feed.get().state.servers, rows())),
			position: atFirst,
			filter,
		});
	},
};
