import {expect, test} from 'vitest';
import {aboutText} from '../../source/nouns/about.ts';

test.each([
	['acme/api#7 opened · Retry the upload', 80, 'acme/api#7 opened · Retry the upload'],
	['acme/api#7 opened · Retry the upload', 20, 'api#7 opened · Retry the upload'],
	['acme/api#7 opened', 39, 'api#7 opened'],
	[
		'acme/api#7 opened · Retry the upload of large files',
		40,
		'acme/api#7 opened · Retry the upload of large files',
	],
	['acme/api main · Merge it', 10, 'api main · Merge it'],
	['acme/api', 5, 'api'],
	['a/b/c is no repository', 5, 'a/b/c is no repository'],
	['disk 97 %', 4, 'disk 97 %'],
	['../x y', 3, 'x y'],
])('%j in %i cells is about %j', (subject, room, expected) => {
	expect(aboutText(subject, room)).toBe(expected);
});
