import {expect, test} from 'vitest';
import {variantsOf} from '../../scripts/bench/webhook/variants.ts';

const namesOf = (options: Parameters<typeof variantsOf>[0]) =>
	variantsOf({withAdnanh: false, ...options}).map(({name}) => name);

test('every table begins with the two servers that the others are shares of', () => {
	for (const options of [{}, {only: ['durable accept']}, {only: ['nothing is called so']}]) {
		expect(namesOf(options).slice(0, 2)).toEqual(['bare node:http', 'work floor']);
	}
});

test('only the rows that are asked for are measured beside them', () => {
	expect(namesOf({only: ['durable', 'program, ignored']}).slice(2)).toEqual([
		'durable accept',
		'program, ignored',
	]);
});

test('a row of ours is measured in the other checkout right before it is here, the servers of others once', () => {
	expect(namesOf({only: ['durable', 'adnanh'], before: '/elsewhere', withAdnanh: true})).toEqual([
		'bare node:http',
		'work floor',
		'durable accept (before)',
		'durable accept',
		'adnanh/webhook, ignored',
		'adnanh/webhook, accept',
	]);
});
