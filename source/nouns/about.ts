import {type Safe, escapeLine} from '../core/untrusted.ts';

/** The owner before a repository: the same in nearly every row. */
const owner = /^[\w.-]{1,64}\/(?=[\w.-]+(?:[#!@ ]|$))/;

/** Cells of a column from which on owners stand in it. */
const roomForOwners = 40;

/** What an event is about, for a column of `room` cells: a narrow one begins with what tells rows apart, in every row alike, so that they can be compared. */
export function aboutText(subject: string, room: number): Safe {
	return escapeLine(room < roomForOwners ? subject.replace(owner, '') : subject);
}
