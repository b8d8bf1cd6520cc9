import type {Safe} from '../../core/untrusted.ts';
import {own, ui} from '../../terminal/text/safe.ts';
import {clean, type Line} from '../panes/line.ts';
import type {AnyList} from '../state/list.ts';
import {grouped} from './rule-line.ts';

/** `312 of 4,812 (limit 5,000)`, `3 servers`: how many items pass the filter. `limit` is what the list is bounded by. */
export function countPart(
	list: AnyList,
	{limit, noun}: {readonly limit?: number; readonly noun?: readonly [one: Safe, many: Safe]} = {},
): Line {
	const {items, total} = list.get();
	const shown =
		items.length === total ? grouped(total) : ui`${grouped(items.length)} of ${grouped(total)}`;
	const bound = limit !== undefined && total >= limit ? ui` (limit ${grouped(limit)})` : own('');
	const name = noun ? ui` ${total === 1 ? noun[0] : noun[1]}` : own('');
	return [{text: ui`${shown}${bound}${name}`, tone: 'quiet'}];
}

/** Whether a live list follows what comes, and how much came meanwhile. */
export function followPart(list: AnyList): Line {
	const {isFollowing, window} = list.get();
	if (isFollowing) {
		return [{text: own('following'), tone: 'quiet'}];
	}

	const newer = window.newer > 0 ? ` · ${grouped(window.newer)} newer` : '';
	return [{text: clean(`paused${newer}, f to follow`), tone: 'warn'}];
}
