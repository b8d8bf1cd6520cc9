import {sessionOwnerOf, sessionOwnerWords} from '../../../core/session.ts';
import type {Safe} from '../../../core/untrusted.ts';
import {clip, fit} from '../../../terminal/text/fit.ts';
import {empty, literal, safe} from '../../../terminal/text/safe.ts';
import {dayTime} from '../../../terminal/text/time.ts';
import {clean, line, type Line} from '../../lines/line.ts';
import type {FoundSession} from './chat-loads.ts';

/** Whose a session is, where it is not the person's at the terminal. */
export function ownerOf({session}: FoundSession): Safe {
	const owner = sessionOwnerOf(session);
	const words = clean(sessionOwnerWords(owner));
	switch (owner.kind) {
		case 'person':
			return empty;

		case 'key':
			return safe`key ${words}  `;

		case 'chat':
			return safe`${words}  `;
	}
}

/** One session as one row: when it was used, whose it is, how it begins or where the words stand. */
export function sessionRow(found: FoundSession, width: number, isSelected: boolean): Line {
	const {session, excerpt} = found;
	const head = safe`${dayTime(session.usedAt)}  ${fit(clean(String(session.messages)), 4, {align: 'end'})}  `;
	const start = clean(`${isSelected ? ' > ' : '   '}${head}`);
	const about = clean((excerpt ?? session.title).slice(0, 1000).replaceAll(/\s+/g, ' '));
	const owner = ownerOf(found);
	return [
		{text: start, tone: isSelected ? 'accent' : 'quiet'},
		{text: owner, tone: 'quiet'},
		{
			text: clip(about, Math.max(8, width - start.length - owner.length)),
			tone: isSelected ? 'selected' : 'plain',
		},
	];
}

/** What is said where nothing was found. */
export const noSessions = (query: string): Line =>
	line(
		query.trim() === ''
			? literal('   No conversations yet.')
			: literal('   No conversation has all of these words.'),
		'quiet',
	);
