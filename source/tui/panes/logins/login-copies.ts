import type {Safe} from '../../../core/untrusted.ts';
import {isUnderWay, type LoginEntry} from '../../../nouns/login/login-entry.ts';
import {literal} from '../../../terminal/text/safe.ts';

/** Something of a login that a person may want elsewhere. */
export type Copy = {
	readonly kind: 'code' | 'url' | 'complete' | 'tunnel' | 'name';
	readonly key: string;
	readonly what: Safe;
	readonly text: string;
};

/** What there is to be copied of a login now; never a token. */
export function copiesOf(entry: LoginEntry | undefined): readonly Copy[] {
	if (!entry) {
		return [];
	}

	const attempt = isUnderWay(entry.attempt) ? entry.attempt : undefined;
	const {userCode, verificationUri, verificationUriComplete, url, tunnel} = attempt ?? {};
	const all: ReadonlyArray<Omit<Copy, 'text'> & {readonly text: string | undefined}> = [
		{kind: 'code', key: 'c', what: literal('code'), text: userCode},
		{kind: 'url', key: 'u', what: literal('URL'), text: verificationUri ?? url},
		{kind: 'complete', key: 'f', what: literal('URL with the code'), text: verificationUriComplete},
		{kind: 'tunnel', key: 't', what: literal('ssh line'), text: tunnel},
		{kind: 'name', key: 'n', what: literal('name of the server'), text: entry.server.name},
	];
	return all.flatMap(({text, ...rest}) => (text === undefined ? [] : [{...rest, text}]));
}
