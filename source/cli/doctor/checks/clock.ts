import {type Check, type Found, type Heard, ok, unknown, warning} from './check.ts';

/** Signatures with a time of their own hold for five minutes; half of that is time to do something. */
const maxSkewSeconds = 150;

/** This machine's clock, against what somebody who was asked anyway said the time is. */
export const clock: Check = {
	subject: 'clock',
	comesLast: true,
	look: ({heard}) => [healthOfClock(heard)],
};

/** Pure. */
export function healthOfClock(heard: readonly Heard[]): Found {
	const [first] = heard.flatMap(({from, date, at}) => {
		const theirs = Date.parse(date);
		return Number.isNaN(theirs) ? [] : [{from, seconds: Math.round((at - theirs) / 1000)}];
	});
	if (!first) {
		return unknown('nobody who was asked says what the time is');
	}

	const {from, seconds} = first;
	const how = `${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} ${from}`;
	return Math.abs(seconds) > maxSkewSeconds
		? {
				...warning(
					`it is ${how}: signatures with a time are refused from 300 s on`,
					'timedatectl set-ntp true, or whatever sets the clock of this machine',
				),
				health: Math.abs(seconds) >= 300 ? 'failed' : 'warning',
			}
		: ok(seconds === 0 ? `it agrees with ${from}` : `it is ${how}`);
}
