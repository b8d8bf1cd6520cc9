import {endOf, type ApiKey} from '../../core/api-key.ts';
import {overlapSpan, type Act} from '../act.ts';
import type {AsOf} from '../noun.ts';
import {keyName} from './key.ts';

/** A key with its secret, which is shown once. */
export type MintedKey = {readonly key: ApiKey; readonly secret: string};

/** The operations on keys, by a gateway or on a home's files. */
export type KeyPort = {
	rotateKey(id: string, options: {readonly overlapMs: number}): Promise<MintedKey | undefined>;
	revokeKey(id: string): Promise<ApiKey | undefined>;
};

const gone = 'no key in force has that identifier or name';

const ended = (key: ApiKey, {now}: AsOf): string | undefined => {
	const end = endOf(key, now);
	return end && `${keyName(key)} is ${end}: press a to make another key`;
};

/** What can be done with a key. */
export const keyActs: ReadonlyArray<Act<ApiKey, KeyPort, MintedKey>> = [
	{
		verb: 'rotate',
		key: 'R',
		says: 'make a new secret for a key and print it, once; the old one is accepted for a while',
		why: ended,
		span: overlapSpan({
			name: keyName,
			says: 'how long the old secret is accepted; 0s: not at all',
			note: ({retiring}) =>
				retiring && 'A rotation is under way: the secret before the last ends now.',
			none: 'whoever uses it is answered 401 until they have the new one',
		}),
		async effect(port, id, {spanMs: overlapMs}) {
			const minted = await port.rotateKey(id, {overlapMs});
			return minted && {said: `${id} has a new secret`, json: undefined, once: minted};
		},
		gone,
	},
	{
		verb: 'revoke',
		key: 'D',
		says: 'end a key at once, with its requests under way',
		why: ended,
		ask: key => ({
			title: `Revoke ${keyName(key)}?`,
			lines: [
				`${key.hint} passes no more, for good; requests under way end at once.`,
				...(key.lastUsedAt === undefined ? ['It was never used.'] : []),
			],
			act: 'revoke it',
			typed: {name: keyName(key), other: key.id},
		}),
		async effect(port, id) {
			const key = await port.revokeKey(id);
			return key && {said: `Revoked ${key.id} (${key.hint})`, json: key};
		},
		gone,
	},
];
