import {expect, test} from 'vitest';
import {messageOf} from '../../source/core/errors.ts';

test.for([
	[new Error('it broke'), 'it broke'],
	['it broke', 'it broke'],
	[undefined, 'undefined'],
	[{toString: []}, '[object Object]'],
	[Object.create(null), '[object Object]'],
	[Symbol('it'), 'Symbol(it)'],
] as const)('whatever is thrown has a message: %#', ([thrown, message]) => {
	expect(messageOf(thrown)).toBe(message);
});
