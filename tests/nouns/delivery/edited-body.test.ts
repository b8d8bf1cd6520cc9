import {expect, test} from 'vitest';
import type {StoredDelivery} from '../../../source/core/delivery.ts';
import {editableBody, editedBody} from '../../../source/nouns/delivery/edited-body.ts';
import {makeDelivery} from '../../helpers/make.ts';

const stored = (body: string, type: string): StoredDelivery => ({
	...makeDelivery({id: 'abc123'}),
	headers: {'content-type': type},
	body: new TextEncoder().encode(body),
});

test('JSON is edited with line breaks and its numbers as they were, anything else as it is', () => {
	expect(editableBody(stored('{"a":12345678901234567890}', 'application/json'))).toEqual({
		text: '{\n  "a": 12345678901234567890\n}\n',
		suffix: '.json',
		kept: 'edited-abc123.json',
	});
	expect(editableBody(stored('a=1', 'application/x-www-form-urlencoded'))).toEqual({
		text: 'a=1\n',
		suffix: '.txt',
		kept: 'edited-abc123.txt',
	});
});

test.for([
	[undefined, 'application/json', {kind: 'nothing', left: 'as it was'}],
	[' \n', 'application/json', {kind: 'nothing', left: 'empty'}],
	['{"a": 1}\n', 'application/json', {kind: 'body', body: '{"a": 1}'}],
	['a=1\n', 'application/x-www-form-urlencoded; charset=utf-8', {kind: 'body', body: 'a=1'}],
	['a=1', 'application/json', {kind: 'mistake', body: 'a=1'}],
] as const)('of the edit %j, called %s, comes %j', ([edited, type, outcome]) => {
	expect(editedBody(edited, stored('{}', type))).toMatchObject(outcome);
});
