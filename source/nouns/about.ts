import {cell, type Safe} from '../core/untrusted.ts';

/** The owner before a repository: the same in nearly every row. */
const owner = /^[\w.-]{1,64}\/(?=[\w.-]+(?:[#!@ ]|$))/;

/** Cells of a column from which on owners stand in it. */
const roomForOwners = 40;

/** A stranger's text for one row. */
export const clean = (text: string): Safe => cell(text).text;

/** What an event is about, for a column of `room` cells: a narrow one begins with what tells rows apart, in every row alike, so that they can be compared. */
export function aboutText(subject: string, room: number): Safe {
	return clean(room < roomForOwners ? subject.replace(owner, '') : subject);
}
