import {expect, test} from 'vitest';
import {noSuchTool} from '../../source/agent/record-steps.ts';

test.for<readonly [readonly string[], string]>([
	[[], 'There is no tool "a\\u{202e}": this run has none'],
	[['b'], 'There is no tool "a\\u{202e}": this run has b'],
	[
		['b', 'c', 'd', 'e', 'f', 'g', 'h'],
		'There is no tool "a\\u{202e}": this run has b, c, d, e, f and 2 more',
	],
])('a call of a tool that is not there names the first that are, of %j', ([tools, text]) => {
	expect(noSuchTool('a\u202E', tools)).toBe(text);
});
