import {expect, test} from 'vitest';
import {quotedName, quotedTitle} from '../../source/core/names.ts';

test.for(['owner', '_id', 'X-Forge-Event', 'pull_request.title', 'a'.repeat(64)])(
	'a plain name stands as it is: %s',
	name => {
		expect(quotedName(name)).toBe(name);
	},
);

test.for(['', '1st', '-f', 'a b', 'a:b', 'a\n', 'a"b', 'ключ', 'a\u202eb', 'a'.repeat(65)])(
	'what is no plain name stands in quotation marks: %j',
	name => {
		expect(quotedName(name)).toBe(JSON.stringify(name));
	},
);

test('a title may have several words, but no columns', () => {
	expect(quotedTitle('Your e-mail (work)?')).toBe('Your e-mail (work)?');
	expect(quotedTitle('Größe')).toBe('Größe');
	for (const title of ['', 'Name   Bob', '[x] Yes', ' Name', 'a\tb', 'Name*', 'x'.repeat(65)]) {
		expect(quotedTitle(title)).toBe(JSON.stringify(title));
	}
});
