import {countOf} from '../../core/names.ts';
import {createRedact} from '../../core/redact.ts';
import {escapeLine} from '../../core/untrusted.ts';
import type {Need} from '../../nouns/needs.ts';
import {isSameDay, minuteTime, minuteTimeThere, printableTime} from '../../terminal/text/time.ts';

/** Maximum number of needs listed in one message. */
const mostLines = 10;
const maxText = 240;

/** A reason may quote a stranger's program, so secrets of known shape are removed here; the deliverer removes configured ones. */
const redact = createRedact(() => []);

/** A need of a message; `seenAt`: when the gateway first saw it, milliseconds since 1970. */
export type SeenNeed = Need & {readonly seenAt: number};

/**
 * One message about all `needs`: the machine and its local time with offset; then up to ten lines, each a need, when it began and the command that helps; then how many
 * more there are.
 */
export function alertText(
	needs: readonly SeenNeed[],
	options: {
		/** The name of the machine. */
		readonly host: string;
		/** The profile that the gateway runs. */
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

/** A command for another profile already starts with `-p <profile>`. */
const commandOf = ({command}: Need, svc: string): string =>
	`${command.startsWith('-p ') ? 'svc' : svc} ${command}`;
