import {createMemory} from '../../../core/derive.ts';
import type {LogRecord} from '../../../core/log.ts';
import type {GatewayState} from '../../../core/state.ts';

type Known = Pick<GatewayState, 'deliveries' | 'runs'>;

/** Makes what finds the subject of the event that a record speaks of, by its run or its delivery, as far as either is listed. */
export function createLogSubjects(): (record: LogRecord, state: Known) => string | undefined {
	const remember = createMemory<ReadonlyMap<string, string>>();
	return ({fields}, {deliveries, runs}) => {
		const known = remember([deliveries, runs], () => subjectsOf({deliveries, runs}));
		return known.get(`run ${fields['run']}`) ?? known.get(`delivery ${fields['delivery']}`);
	};
}

const subjectsOf = ({deliveries, runs}: Known): ReadonlyMap<string, string> => {
	const subjects = new Map<string, string>();
	for (const {delivery} of deliveries) {
		if (delivery.subject !== undefined) {
			subjects.set(`delivery ${delivery.id}`, delivery.subject);
		}
	}

	for (const {id, subject} of runs) {
		if (subject !== undefined) {
			subjects.set(`run ${id}`, subject);
		}
	}

	return subjects;
};
