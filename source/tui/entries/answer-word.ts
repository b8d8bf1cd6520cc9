import type {ReceiverAnswer} from '../../core/replay.ts';
import type {Safe} from '../../core/untrusted.ts';
import {literal, safe} from '../../terminal/text/safe.ts';
import {clean} from '../lines/line.ts';

const reasons: Readonly<Record<string, Safe>> = {
	filter: literal('ignored by its filter'),
	script: literal('ignored by its script'),
	own: literal('ignored: the gateway wrote it itself'),
};

/** What our own receiver answered, as a person says it; a body that nobody knows as it is. @see manual/receiver.md#answers */
export function answerWord({body}: Pick<ReceiverAnswer, 'body'>): Safe {
	const {status, reason, event, error} = fieldsOf(body);
	const word = status ?? error;
	if (status === 'ignored') {
		return (
			reasons[String(reason)] ??
			(typeof event === 'string'
				? safe`ignored: the route does not take ${clean(event)}`
				: literal('ignored'))
		);
	}

	return clean(typeof word === 'string' ? word : body);
}

function fieldsOf(body: string): Readonly<Record<string, unknown>> {
	try {
		const fields: unknown = JSON.parse(body);
		return typeof fields === 'object' && fields !== null ? {...fields} : {};
	} catch {
		return {};
	}
}
