import {createTimer} from '../../core/clock.ts';
import {endsAnswer, lastOfSaid} from '../../core/reduce-runs.ts';
import type {TranscriptEntry} from '../../core/run.ts';
import {escapeBlock} from '../../core/untrusted.ts';
import type {World} from '../../core/world.ts';

/** What a model says faster is told together: ten updates a second are enough to read. */
const pauseMs = 100;

/** Reports the words of a run as events: the first at once, those that follow within 100 ms together, of which the end is kept where they are many. */
export function createRunWords({clock, emit}: Pick<World, 'clock' | 'emit'>, runId: number) {
	/** How long the answer is without what waits, as it was told. */
	let length = 0;
	let waiting = '';
	const pause = createTimer(clock);

	const tell = () => {
		if (waiting === '') {
			return;
		}

		const {at, from, text: said} = lastOfSaid({at: clock.now(), from: length, text: waiting});
		const text = escapeBlock(said);
		length = from + text.length;
		waiting = '';
		emit({type: 'run-said', at, runId, from, text});
		pause.set(pauseMs, tell);
	};

	const begin = () => {
		length = 0;
		waiting = '';
	};

	return {
		/** For `AgentRequest.onText`. */
		say(text: string, begins: boolean) {
			if (begins) {
				begin();
			}

			waiting += text;
			if (pause.isFree()) {
				tell();
			}
		},
		/** An entry of the transcript that is told next: one that has the answer whole takes the place of its words. */
		told(entry: Pick<TranscriptEntry, 'kind'>) {
			if (endsAnswer(entry)) {
				begin();
			}
		},
		[Symbol.dispose]() {
			pause[Symbol.dispose]();
			begin();
		},
	};
}
