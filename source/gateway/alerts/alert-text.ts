import {countOf} from '../../core/names.ts';
import {createRedact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Need} from '../../nouns/needs.ts';
import {isSameDay, minuteTime, minuteTimeThere, printableTime} from '../../terminal/text/time.ts';

/** Needs that one message names. */
const mostLines = 10;
const maxText = 240;

/** A reason may quote what a stranger's program said; the deliverer takes out the secrets that are configured. */
const redact = createRedact(() => []);

/** A need of a message; `seenAt`: when the gateway first saw it, milliseconds since 1970. */
export type SeenNeed = Need & {readonly seenAt: number};

/**
 * One message that tells of all `needs`: first the machine and its time, then a line for each need with its begin and the command that helps (at most ten), then how many more there are. Times
 * are local ones of the gateway; the first line has their offset.
 */
export function alertText(
	needs: readonly SeenNeed[],
	options: {
		/** The name of the machine. */
		readonly host: string;
		/** The profile whose gateway it is. */
		readonly profile: string;
		readonly now: number;
	},
): string {
	const {host, profile, now} = options;
	const svc = profile === 'default' ? 'svc' : `svc -p ${profile}`;
	const lines = needs
		.slice(0, mostLines)
		.map(
			need =>
				`- ${escapeLine(redact(need.text), maxText)}, ${timesOf(need, now)}: ${commandOf(need, svc)}`,
		);
	const more = needs.length - lines.length;
	return [
		`${svc} on ${escapeLine(host, 60)}, ${minuteTimeThere(now)}: ${countOf(needs.length, 'thing')} ${needs.length === 1 ? 'needs' : 'need'} a person`,
		...lines,
		...(more > 0 ? [`and ${more} more: ${svc} gateway status, ${svc} runs list --state dead`] : []),
	].join('\n');
}

const timesOf = ({since, seenAt, until}: SeenNeed, now: number): string =>
	[
		`since ${timeText(since ?? seenAt, now)}`,
		...(until === undefined ? [] : [`until ${timeText(until, now)}`]),
	].join(' ');

const timeText = (at: number, now: number): string =>
	isSameDay(at, now) ? minuteTime(at) : printableTime(at).slice(0, -':00'.length);

/** A command of another profile names it. */
const commandOf = ({command}: Need, svc: string): string =>
	`${command.startsWith('-p ') ? 'svc' : svc} ${command}`;
