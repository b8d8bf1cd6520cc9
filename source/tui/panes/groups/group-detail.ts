import type {StoredDelivery} from '../../../core/delivery.ts';
import type {StoredGroup} from '../../../core/group.ts';
import {escapeLine} from '../../../core/untrusted.ts';
import {shownId} from '../../../nouns/delivery/delivery-word.ts';
import {memberText} from '../../../nouns/group/group.ts';
import {literal, safe} from '../../../terminal/text/safe.ts';
import {clockTime} from '../../../terminal/text/time.ts';
import {blankLine, line, type Line} from '../../lines/line.ts';
import {payloadRows} from '../../payload/payload-rows.ts';
import type {LoadSource} from '../../state/source.ts';

/** A group with its events, and its latest event with what was received. */
export type GroupContent = {
	readonly group: StoredGroup;
	/** `undefined` when it is no longer stored. */
	readonly latest: StoredDelivery | undefined;
};

/** The key is `id count state`: a group that was joined is loaded again. */
export const groupContents: LoadSource<GroupContent> = {
	async load(port, key) {
		const group = await port.getGroup(Number.parseInt(key, 10));
		return group && {group, latest: await port.getDelivery(group.latest)};
	},
};

/** What the latest event superseded, and its payload. */
export const contentRows = ({group, latest}: GroupContent): readonly Line[] => [
	blankLine,
	...supersededRows(group),
	line(safe`Latest event  ${shownId({id: group.latest})}`, 'title'),
	...payloadRows(
		latest
			? {status: 'ready', key: latest.id, value: latest}
			: {status: 'missing', key: group.latest},
	),
];

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
		// Its subject; without one its event and the identifier of its sender.
		...superseded
			.slice(0, maxShown)
			.map(({delivery, deliveryId, event, subject, receivedAt}) =>
				line(
					safe` ${clockTime(receivedAt)}  ${shownId({id: delivery})}  ${escapeLine(subject ?? `${event}  ${deliveryId}`)}`,
				),
			),
		...(hidden > 0 ? [line(safe` … ${hidden} more, e opens all in $PAGER`, 'quiet')] : []),
		blankLine,
	];
}

/** A group, its events and the latest payload as plain text, for the pager. */
export const groupText = ({group, latest}: GroupContent): string =>
	[
		`group ${group.id} ${group.route} ${group.key} ${group.state}, ${group.count} events`,
		group.members.map(member => memberText(group, member)).join('\n'),
		latest?.body ? new TextDecoder().decode(latest.body) : 'The latest body is not kept',
	].join('\n\n');
