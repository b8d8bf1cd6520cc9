import type {ServerView} from '../../../core/tool-server.ts';
import {reasonRows} from '../../entries/server-columns.ts';
import {serverKey, serverVocabulary} from '../../entries/server-key.ts';
import {atFirst} from '../../list/window.ts';
import {createList, type List} from '../../state/list.ts';
import {rowsBelow, type ListSource} from '../../state/source.ts';

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
