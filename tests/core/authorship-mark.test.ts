import {assert, nat, property, string} from 'fast-check';
import {expect, test} from 'vitest';
import {createAuthorshipMark} from '../../source/core/authorship-mark.ts';
import {maxMarkLength} from '../../source/core/mark-length.ts';

const mark = createAuthorshipMark(Buffer.alloc(32, 1));
const text = 'Looks good.\n\n- one `thing`';
const signed = mark.sign(text);

test('what was signed is known again, also as code hosts keep it', () => {
	expect(mark.isOwn(signed)).toBe(true);
	expect(mark.isOwn(signed.replaceAll('\n', '\r\n'))).toBe(true);
	expect(mark.isOwn(`${signed}\n`)).toBe(true);
	expect(mark.isOwn(signed.replace('\n\n<!--', '\n<!--'))).toBe(true);
	expect(mark.isOwn(mark.sign(''))).toBe(true);
});

test('a mark is a comment that nobody sees, and says nothing', () => {
	expect(signed).toMatch(/^Looks good\.\n\n- one `thing`\n\n<!-- svc:[A-Za-z0-9_-]{22} -->$/);
});

test.for([
	['a mark that was pasted below other words', `/ship it\n\n${signed.slice(text.length).trim()}`],
	['a comment that somebody changed', signed.replace('good', 'bad')],
	['words behind the mark', `${signed}\nand more`],
	['words before the comment', `> hello\n${signed}`],
	['a comment that is quoted', `> ${signed.replaceAll('\n', '\n> ')}`],
	['a mark of another home', createAuthorshipMark(Buffer.alloc(32, 2)).sign(text)],
	['a mark that was made up', `${text}\n\n<!-- svc:${'A'.repeat(22)} -->`],
	['no mark', text],
	['nothing', ''],
] as const)('%s is not ours', ([, strange]) => {
	expect(mark.isOwn(strange)).toBe(false);
});

test('whatever is signed is known again, at most 64 characters longer; with any change it is not', () => {
	assert(
		property(string({unit: 'binary'}), nat(), (any, at) => {
			const whole = mark.sign(any.toWellFormed());
			expect(mark.isOwn(whole)).toBe(true);
			expect(whole.length - any.length).toBeLessThanOrEqual(maxMarkLength);
			const index = at % whole.length;
			expect(mark.isOwn(`${whole.slice(0, index)}#!${whole.slice(index)}`)).toBe(false);
		}),
	);
});

test('"bounded": a long text without an end takes no time to speak of, a longer one is not looked at', () => {
	expect(mark.isOwn(`${' '.repeat(200_000)}<!-- svc:`)).toBe(false);
	expect(mark.isOwn(mark.sign('x'.repeat(300_000)))).toBe(false);
});
