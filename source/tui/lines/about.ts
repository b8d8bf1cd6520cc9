import type {Safe} from '../../core/untrusted.ts';
import {widthOf} from '../../terminal/text/fit.ts';
import {clean} from './line.ts';

/** The owner before a repository: the same in nearly every row. */
const owner = /^[\w.-]{1,64}\/(?=[\w.-]+(?:[#!@ ]|$))/;

/** What an event is about, in `room` cells: where not all of it fits, what tells rows apart comes first. */
export function aboutText(subject: string, room: number): Safe {
	const whole = clean(subject);
	return widthOf(whole) <= room ? whole : clean(subject.replace(owner, ''));
}
