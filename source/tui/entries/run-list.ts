import {runNoun} from '../../nouns/run/run.ts';
import {atNewest} from '../list/window.ts';
import {nounList} from '../state/source.ts';

/** The runs that the gateway tells of: those at work above, then the newest. */
export const runList = nounList('runs', runNoun, {
	read: ({runs}) => runs,
	more: host => ({
		position: atNewest,
		newestFirst: true,
		isOnTop: ({state}) => state === 'running' || state === 'delivering',
		history: {
			clock: host.clock,
			isShown: () => host.pane().id === 'runs',
			ask: async (question, hungUp) => host.port.searchRuns(question, hungUp),
			olderAt: 'start',
			cursorOf: Number,
			wholeFrom: state => state.wholeFrom?.run ?? state.runs[0]?.id,
			total: state => state.journal?.runs,
		},
	}),
});
