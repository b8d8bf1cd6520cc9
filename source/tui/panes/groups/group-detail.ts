import type {StoredDelivery} from '../../../core/delivery.ts';
import type {Group, GroupMember, StoredGroup} from '../../../core/group.ts';
import type {Run} from '../../../core/run.ts';
import {shownId} from '../../../nouns/delivery/delivery-word.ts';
import {runWords} from '../../../nouns/run/run-word.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime, fullTime} from '../../../terminal/text/time.ts';
import {blankLine, clean, line, wrapText, type Line} from '../../lines/line.ts';
import {payloadRows} from '../../payload/payload-rows.ts';
import type {Loaded} from '../../state/loader.ts';
import {clocksOf, nextOf, reasonWords, secondsText} from './clocks.ts';

/** A group with its events, and its latest event with what was received. */
export type GroupContent = {
	readonly group: StoredGroup;
	/** `undefined` when it is no longer stored. */
	readonly latest: StoredDelivery | undefined;
};

export type GroupSources = {
	readonly loaded: Loaded<GroupContent>;
	readonly run: Run | undefined;
	/** Milliseconds since 1970. */
	readonly now: number;
};

/** One group as rows of `width` cells: its clocks, what the latest event superseded, and the latest payload. */
export function groupDetail(group: Group, sources: GroupSources, width: number): readonly Line[] {
	const {loaded, run, now} = sources;
	return [
		...wrapText(group.key, width).map(row => line(row, 'strong')),
		line(
			safe`${clean(group.route)}  ${clean(group.event)}  ${group.count} ${group.count === 1 ? literal('event') : literal('events')}, ${group.count - 1} superseded`,
		),
		line(safe`first ${fullTime(group.firstAt)}  latest ${clockTime(group.lastAt)}`, 'quiet'),
		...(group.state === 'pending' ? pendingRows(group, now) : doneRows(group, run)),
		blankLine,
		...contentRows(group, loaded, width),
	];
}

function pendingRows(group: Group, now: number): readonly Line[] {
	const {quiet, cap} = clocksOf(group, now);
	const {at, word} = nextOf(group);
	return [
		line(
			safe`quiet window ${secondsText(quiet.leftMs)} of ${secondsText(quiet.wholeMs)} left  cap ${secondsText(cap.leftMs)} of ${secondsText(cap.wholeMs)} left  ${word} ${clockTime(at)}`,
			'accent',
		),
	];
}

function doneRows({dispatchedAt, reason, runId}: Group, run: Run | undefined): readonly Line[] {
	const at = dispatchedAt === undefined ? literal('-') : clockTime(dispatchedAt);
	return [
		[
			{
				text: safe`dispatched ${at} ${reason === undefined ? literal('') : reasonWords[reason]}  `,
				tone: 'quiet',
			},
			...(runId === undefined ? [] : [{text: safe`run #${runId} `}]),
			...(run ? [runWords[run.state]] : []),
		],
	];
}

function contentRows(group: Group, loaded: Loaded<GroupContent>, width: number): readonly Line[] {
	switch (loaded.status) {
		case 'loading':
			return [line(literal('Events  loading'), 'quiet')];
		case 'missing':
			return [line(literal('Events  no longer stored'), 'quiet')];
		case 'failed':
			return wrapText(`✗ ${loaded.reason}`, width).map(row => line(row, 'bad'));
		case 'ready': {
			const {group: stored, latest} = loaded.value;
			return [
				...supersededRows(stored),
				line(safe`Latest event  ${shownId({id: group.latest})}`, 'title'),
				...payloadRows(
					latest
						? {status: 'ready', key: latest.id, value: latest}
						: {status: 'missing', key: group.latest},
				),
			];
		}
	}
}

/** Superseded events that stand before the payload; the pager has all of them. */
const maxShown = 12;

function supersededRows({members, latest, count}: StoredGroup): readonly Line[] {
	const superseded = members.filter(({delivery}) => delivery !== latest).toReversed();
	if (superseded.length === 0) {
		return [];
	}

	const hidden = count - 1 - Math.min(superseded.length, maxShown);
	return [
		line(literal('Superseded, newest first'), 'title'),
		...superseded.slice(0, maxShown).map(member => line(memberText(member))),
		...(hidden > 0 ? [line(safe` … ${hidden} more, e opens all in $PAGER`, 'quiet')] : []),
		blankLine,
	];
}

/** What it was about; where nobody knows, its event and the identifier of its sender. */
const memberText = ({delivery, deliveryId, event, subject, receivedAt}: GroupMember) =>
	safe` ${clockTime(receivedAt)}  ${shownId({id: delivery})}  ${clean(subject ?? `${event}  ${deliveryId}`)}`;

/** A group, its events and the latest payload as plain text, for the pager. */
export const groupText = ({group, latest}: GroupContent): string =>
	[
		`group ${group.id} ${group.route} ${group.key} ${group.state}, ${group.count} events`,
		group.members
			.map(
				({delivery, deliveryId, event, subject, receivedAt}) =>
					`${fullTime(receivedAt)} ${delivery} ${event} ${deliveryId}${subject === undefined ? '' : ` ${subject}`}${delivery === group.latest ? ' (latest)' : ''}`,
			)
			.join('\n'),
		latest?.body ? new TextDecoder().decode(latest.body) : 'The latest body is not kept',
	].join('\n\n');
