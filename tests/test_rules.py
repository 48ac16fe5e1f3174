"""The rules, one situation at a time, on the real board. Each test is named for what it holds.

Much used: the village 0,-6, whose only land hexes are 1,-6 and 0,-5; the villages -9,9 (-8,8 and -9,8) and
-8,7 (those two, -7,7 and -7,6); Akita, the city 0,-4 (1,-5, 0,-5, 1,-4, 0,-3).
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from reference import SUPPLY, TILES, TYPES, board_for

from samurai_env.rules import Game, IllegalActionError, score

EDO_FULL = {"0,0": "helmet buddha rice"}
LAND_TILES = [tile for tile in TILES.elements() if not tile.startswith("ship") and "exchange" not in tile]


def written(
    hands: Sequence[str] = (),
    figures: dict[str, str] | None = None,
    tiles: dict[str, str] | None = None,
    *,
    stocks: Sequence[str] = (),
    players: int = 2,
    edo: bool = True,
    **rest: Any,
) -> dict[str, Any]:
    """A position from short texts: tiles as `seat tile`, the rest separated by blanks.

    Edo is full unless said otherwise, so that the capture of another figure does not end the game, and the
    players without a hand given hold a samurai, so that they are not skipped.
    """
    all_figures = (EDO_FULL if edo else {}) | (figures or {})
    laid = {at: text.split() for at, text in (tiles or {}).items()}
    return {
        "players": players,
        "figures": {at: types.split() for at, types in all_figures.items()},
        "tiles": {at: {"seat": int(seat), "tile": tile} for at, (seat, tile) in laid.items()},
        "hands": [hand.split() for hand in hands] + [["samurai-1"]] * (players - len(hands)),
        "stocks": [stock.split() for stock in stocks] + [[]] * (players - len(stocks)),
        **rest,
    }


def game_with(*args: Any, **kwargs: Any) -> Game:
    return Game.from_dict(written(*args, **kwargs))


def play(game: Game, *texts: str) -> Game:
    for text in texts:
        game.apply(text)
    return game


def legal(game: Game, *starts: str) -> set[str]:
    """The legal actions as texts, all or those that begin with one of `starts`."""
    texts = {game.action_to_string(action) for action in game.legal_actions().tolist()}
    return {text for text in texts if text.startswith(starts)} if starts else texts


def refused(game: Game, text: str) -> None:
    before = game.clone()
    with pytest.raises(IllegalActionError):
        game.apply(text)
    assert game == before


def figures_at(game: Game, at: str) -> set[str]:
    return set(game.to_dict()["figures"].get(at, []))


def hand(game: Game, seat: int) -> list[str]:
    return sorted(game.to_dict()["hands"][seat])


def random_play(game: Game, seed: int, visit: Callable[[Game], None] = lambda game: None) -> Game:
    """Play at random to the end, with many exchanges; `visit` sees the game before every action."""
    rng = random.Random(seed)
    while not game.is_over:
        visit(game)
        exchanges = sorted(legal(game, "lift", "swap"))
        often = bool(exchanges) and rng.random() < 0.5
        game.apply(rng.choice(exchanges if often else game.legal_actions().tolist()))
    visit(game)
    return game


# ---- the board and the actions ----


@pytest.mark.parametrize(
    ("players", "counts"),
    [(2, (91, 44, 30, 14, 2, 21)), (3, (133, 64, 43, 23, 2, 30)), (4, (174, 84, 56, 30, 3, 39))],
)
def test_the_board_data_counts_as_in_the_rules(players, counts):
    board = board_for(players)
    parts = (board.kinds, board.sea, board.land, board.villages, board.cities)
    assert (*map(len, parts), sum(board.capacity.values())) == counts
    assert sum(board.capacity.values()) == 3 * SUPPLY[players]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_land_hex_touches_two_settlements_and_no_two_settlements_touch(players):
    board = board_for(players)
    settlements = board.capacity.keys()
    assert all(len(board.around[at] & settlements) == 2 for at in board.land)
    assert all(not board.around[at] & settlements for at in settlements)
    assert all(len(board.around[at]) == 6 for at in board.land | settlements)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_on_an_empty_board_land_tiles_go_on_every_land_hex_and_ships_on_every_sea_hex(players):
    board = board_for(players)
    game = game_with(["samurai-2 ronin-1 ship-2"], players=players, edo=False)
    expected = {f"{tile}@{at}" for tile in ("samurai-2", "ronin-1") for at in board.land}
    assert legal(game) == expected | {f"ship-2@{at}" for at in board.sea}


@pytest.mark.parametrize(("players", "number"), [(2, 577), (3, 826), (4, 1072)])
def test_every_action_id_has_its_text_and_back(players, number):
    for figures in ("draft", "random"):
        game = Game(players=players, seed=0, hands="random", figures=figures)
        texts = [game.action_to_string(action) for action in range(game.num_actions)]
        assert game.num_actions == len(set(texts)) == number
        assert [game.string_to_action(text) for text in texts] == list(range(number))


def test_place_and_swap_share_their_ids():
    game = Game(players=2, seed=0, hands="random")
    place, swap = (game.string_to_action(f"{verb} helmet@0,-4") for verb in ("place", "swap"))
    assert place == swap
    assert game.action_to_string(place) == "place helmet@0,-4"
    in_play = Game(players=2, seed=0, hands="random", figures="random")
    assert in_play.action_to_string(swap) == "swap helmet@0,-4"


def test_a_hex_keeps_its_id_at_every_player_count():
    texts = {}
    for players in (2, 3, 4):
        game = game_with(["samurai-1"], players=players)
        texts[players] = [game.action_to_string(action) for action in game.legal_actions().tolist()]
    assert texts[4][:43] == texts[3]
    assert texts[3][:30] == texts[2]


# ---- setting up ----


def test_each_seat_chooses_five_tiles_seat_by_seat():
    game = Game(players=3, seed=1, hands="choose")
    seats = []
    while game.phase == "hands":
        seats.append(game.current_player)
        game.apply(sorted(legal(game))[0])
    assert seats == [0] * 5 + [1] * 5 + [2] * 5
    assert game.phase == "figures"


def test_any_five_tiles_may_be_chosen():
    game = Game(players=2, seed=1)
    assert legal(game) == {f"hold {tile}" for tile in TILES}
    play(game, "hold samurai-3", "hold ship-1", "hold ship-1", "hold ship-2", "hold figure-exchange")
    assert hand(game, 0) == ["figure-exchange", "samurai-3", "ship-1", "ship-1", "ship-2"]
    assert Counter(game.to_dict()["stocks"][0]) == TILES - Counter(hand(game, 0))
    assert legal(game) == {f"hold {tile}" for tile in TILES}  # the next seat has tiles of his own


@pytest.mark.parametrize(("tile", "number"), [("ronin-1", 1), ("samurai-1", 2), ("helmet-4", 1)])
def test_no_more_tiles_of_a_kind_may_be_chosen_than_one_owns(tile, number):
    game = play(Game(players=2, seed=1), *[f"hold {tile}"] * number)
    refused(game, f"hold {tile}")


def test_edo_gets_its_figures_when_the_hands_are_chosen():
    game = Game(players=2, seed=1)
    assert game.to_dict()["figures"] == {}
    play(game, *["hold samurai-1", "hold samurai-1", "hold ship-1", "hold ship-1", "hold ship-2"] * 2)
    assert game.phase == "figures"
    assert figures_at(game, "0,0") == set(TYPES)


def test_hands_are_chosen_before_random_figures_are_placed():
    game = Game(players=2, seed=1, figures="random")
    assert (game.phase, game.to_dict()["figures"]) == ("hands", {})
    play(game, *["hold samurai-1", "hold samurai-1", "hold ship-1", "hold ship-1", "hold ship-2"] * 2)
    assert game.phase == "play"
    assert len(game.to_dict()["figures"]) == 17


def test_cities_are_filled_with_two_different_types_before_any_village():
    game = Game(players=2, seed=1, hands="random")
    cities = {"0,-4", "-3,4"}
    assert legal(game) == {f"place {type_}@{at}" for type_ in TYPES for at in cities}
    play(game, "place helmet@0,-4")
    assert "place helmet@0,-4" not in legal(game)
    play(game, "place rice@0,-4")
    assert legal(game) == {f"place {type_}@-3,4" for type_ in TYPES}
    play(game, "place rice@-3,4", "place buddha@-3,4")
    assert legal(game) == {f"place {type_}@{at}" for type_ in TYPES for at in board_for(2).villages}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_figures_are_placed_clockwise_nine_a_player_without_restarting_at_the_villages(players):
    game = Game(players=players, seed=1, hands="random")
    seats = []
    while game.phase == "figures":
        seats.append(game.current_player)
        game.apply(int(game.legal_actions()[0]))
    assert seats == list(range(players)) * 9


def test_no_figure_is_placed_beyond_the_supply_of_its_type():
    game = Game(players=2, seed=1, hands="random")
    play(game, "place helmet@0,-4", "place rice@0,-4", "place helmet@-3,4", "place buddha@-3,4")
    play(game, *[f"place helmet@{at}" for at in ("0,-6", "2,-6", "2,-4", "0,-2")])  # with Edo's, seven
    assert not legal(game, "place helmet")
    refused(game, "place helmet@-2,0")


def test_a_village_holds_one_figure_and_edo_takes_no_more():
    game = Game(players=2, seed=1, hands="random")
    play(game, "place helmet@0,-4", "place rice@0,-4", "place helmet@-3,4", "place buddha@-3,4")
    play(game, "place helmet@0,-6")
    refused(game, "place rice@0,-6")
    refused(game, "place rice@0,0")


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seed", range(5))
def test_random_figures_obey_the_restrictions(players, seed):
    game = Game(players=players, seed=seed, hands="random", figures="random")
    figures = game.to_dict()["figures"]
    assert {at: len(set(types)) for at, types in figures.items()} == board_for(players).capacity
    placed = Counter(type_ for types in figures.values() for type_ in types)
    assert placed == dict.fromkeys(TYPES, SUPPLY[players])


def test_random_hands_are_five_of_the_twenty_tiles_and_follow_from_the_seed():
    games = [Game(players=4, seed=seed, hands="random") for seed in (1, 1, 2)]
    for hand_, stock in zip(games[0].to_dict()["hands"], games[0].to_dict()["stocks"], strict=True):
        assert len(hand_) == 5
        assert Counter(hand_) + Counter(stock) == TILES
    assert games[0].to_dict()["hands"] == games[1].to_dict()["hands"] != games[2].to_dict()["hands"]


def test_seat_0_takes_the_first_turn():
    for players in (2, 3, 4):
        game = Game(players=players, seed=3, hands="random", figures="random")
        assert (game.phase, game.current_player) == ("play", 0)


# ---- a turn ----


def test_tiles_go_on_empty_hexes_only():
    game = game_with(["samurai-1 ship-1"], tiles={"1,-6": "1 rice-2", "0,-7": "0 ship-1"})
    refused(game, "samurai-1@1,-6")
    refused(game, "ship-1@0,-7")


def test_ships_go_on_sea_and_other_tiles_on_land():
    game = game_with(["samurai-1 ronin-1 helmet-2 ship-1"])
    for text in ("samurai-1@0,-7", "ronin-1@0,-7", "helmet-2@0,-7", "ship-1@1,-6"):
        with pytest.raises(ValueError, match=text.split("@", maxsplit=1)[0]):
            game.apply(text)


def test_nothing_goes_on_a_settlement_not_even_an_emptied_one():
    game = game_with(["samurai-1"])
    for at in ("0,-6", "0,-4", "0,0"):
        with pytest.raises(ValueError, match=at):
            game.apply(f"samurai-1@{at}")


def test_a_hex_that_touches_no_figure_may_be_filled():
    assert "samurai-1@1,-6" in legal(game_with(["samurai-1"], edo=False))


def test_a_tile_that_is_not_in_the_hand_may_not_be_laid():
    refused(game_with(["samurai-1"], stocks=["samurai-3"]), "samurai-3@1,-6")


@pytest.mark.parametrize("slow", ["helmet-2", "samurai-3"])
def test_at_most_one_slow_tile_a_turn(slow):
    game = play(game_with([f"{slow} rice-4 samurai-1 ship-1 ronin-1"]), f"{slow}@1,-6")
    assert not legal(game, "rice", "samurai")
    assert legal(game, "ship-1")
    assert legal(game, "ronin-1")


def test_any_number_of_fast_tiles_in_any_order_around_the_slow_one():
    figures = {"0,-6": "rice", "-9,9": "helmet"}
    game = game_with(["ship-1 ship-2 ronin-1 figure-exchange rice-4 rice-2"], figures=figures)
    play(game, "ship-1@0,-7", "ronin-1@1,-2", "rice-4@2,-1", "swap rice@0,-6", "swap helmet@-9,9")
    assert game.current_player == 0
    play(game, "ship-2@1,-7")
    assert game.current_player == 1


def test_a_turn_of_one_fast_tile_is_legal():
    game = play(game_with(["ship-1 rice-2"]), "ship-1@0,-7", "end")
    assert game.current_player == 1


def test_no_player_may_pass_while_he_can_play():
    refused(game_with(["ship-1 rice-2"]), "end")


def test_end_is_not_automatic_while_a_fast_tile_can_be_played():
    game = play(game_with(["rice-2 ship-1"]), "rice-2@1,-6")
    assert (game.current_player, legal(game, "end")) == (0, {"end"})


def test_the_only_legal_end_is_done_for_the_player_and_not_recorded():
    game = play(game_with(["rice-2 rice-3"]), "rice-2@1,-6")
    assert game.current_player == 1
    assert game.record()["actions"] == ["rice-2@1,-6"]


def test_a_fast_tile_without_a_legal_place_does_not_keep_the_turn_open():
    game = game_with(["rice-2 figure-exchange"], figures={"0,-6": "rice"}, edo=False)
    assert play(game, "rice-2@1,-2").current_player == 1


def test_the_hand_is_refilled_to_five_at_the_end_of_the_turn_only():
    game = game_with(["rice-2 ship-1 ship-2 ronin-1 rice-3"], stocks=["rice-4 samurai-1 samurai-2 samurai-3"])
    play(game, "ship-1@0,-7", "rice-2@1,-6")
    assert hand(game, 0) == ["rice-3", "ronin-1", "ship-2"]
    play(game, "end")
    assert len(hand(game, 0)) == 5
    assert len(game.to_dict()["stocks"][0]) == 2
    left = Counter(hand(game, 0)) + Counter(game.to_dict()["stocks"][0])
    assert left == Counter(["rice-3", "ronin-1", "ship-2", "rice-4", "samurai-1", "samurai-2", "samurai-3"])


def test_play_goes_on_with_fewer_tiles_when_the_stock_is_out():
    game = game_with(["rice-2 rice-3 rice-4"], stocks=["samurai-1"])
    assert hand(play(game, "rice-2@1,-6"), 0) == ["rice-3", "rice-4", "samurai-1"]
    assert game.to_dict()["stocks"][0] == []


def test_turns_go_clockwise():
    game = game_with(["samurai-1"] * 4, players=4, to_move=3)
    seats = []
    for at in ("1,-6", "0,-5", "1,-5"):
        seats.append(game.current_player)
        game.apply(f"samurai-1@{at}")
    assert seats == [3, 0, 1]


# ---- skipping ----


def test_a_player_without_tiles_is_skipped():
    game = game_with(["samurai-1", "", "samurai-1"], players=3)
    assert play(game, "samurai-1@1,-6").current_player == 2


def test_a_player_with_no_effective_figure_exchange_is_skipped_and_not_refilled():
    stocks = ["", "rice-2 rice-3", ""]
    game = game_with(["samurai-1", "figure-exchange"], {"0,-6": "rice"}, players=3, stocks=stocks, edo=False)
    play(game, "samurai-1@1,-2")
    assert game.current_player == 2
    assert hand(game, 1) == ["figure-exchange"]
    assert len(game.to_dict()["stocks"][1]) == 2


def test_a_player_with_an_effective_figure_exchange_is_not_skipped():
    game = game_with(["samurai-1", "figure-exchange"], {"0,-6": "rice", "-9,9": "helmet"}, edo=False)
    assert play(game, "samurai-1@1,-2").current_player == 1


def test_a_player_whose_tile_exchange_has_nothing_to_lift_is_skipped():
    game = game_with(["samurai-1", "tile-exchange", "samurai-1"], players=3)
    assert play(game, "samurai-1@1,-2").current_player == 2


def test_a_player_plays_again_refilled_when_all_others_are_skipped():
    game = game_with(["samurai-1", ""], stocks=["rice-2"])
    play(game, "samurai-1@1,-6")
    assert (game.current_player, hand(game, 0)) == (0, ["rice-2"])


def test_a_position_whose_mover_cannot_play_skips_him():
    assert game_with(["", "samurai-1"], to_move=0).current_player == 1


def test_the_game_is_over_and_scored_as_it_stands_if_nobody_can_play():
    game = play(game_with(["samurai-1", ""], captured=[[0, 0, 0], [0, 1, 0]]), "samurai-1@1,-6")
    assert (game.phase, game.current_player) == ("over", -1)
    assert (game.winners, game.places) == ((1,), (2, 1))


# ---- tile exchange ----


def test_the_tile_exchange_takes_the_place_of_a_tile_which_must_be_laid_next():
    game = game_with(["tile-exchange rice-4 ship-1"], tiles={"1,-6": "0 samurai-3"})
    play(game, "lift@1,-6")
    assert game.to_dict()["tiles"] == {"1,-6": {"seat": 0, "tile": "tile-exchange"}}
    assert hand(game, 0) == ["rice-4", "ship-1"]
    assert game.to_dict()["lifted"] == "samurai-3"
    assert legal(game) == {f"samurai-3@{at}" for at in board_for(2).land - {"1,-6"}}
    play(game, "samurai-3@-9,8")
    assert game.to_dict()["tiles"]["-9,8"] == {"seat": 0, "tile": "samurai-3"}
    assert game.to_dict()["tiles"]["1,-6"] == {"seat": 0, "tile": "tile-exchange"}


def test_the_tile_exchange_is_the_slow_tile_of_its_turn():
    game = game_with(["tile-exchange rice-4 ship-1"], tiles={"1,-6": "0 samurai-3"})
    play(game, "lift@1,-6", "samurai-3@-9,8")
    assert legal(game, "rice") == set()
    assert legal(game, "ship") != set()
    after_slow = game_with(["tile-exchange rice-4 ship-1"], tiles={"1,-6": "0 samurai-3"})
    assert legal(play(after_slow, "rice-4@-9,8"), "lift") == set()


def test_only_own_figure_tiles_and_samurai_may_be_lifted():
    tiles = {"1,-6": "0 samurai-1", "0,-5": "0 rice-2", "1,-5": "0 ronin-1", "0,-7": "0 ship-1"}
    tiles |= {"1,-2": "1 samurai-1", "2,-1": "1 rice-2", "1,-3": "1 tile-exchange"}
    assert legal(game_with(["tile-exchange"], tiles=tiles), "lift") == {"lift@1,-6", "lift@0,-5"}


def test_no_tile_exchange_without_a_tile_of_ones_own_to_lift():
    tiles = {"1,-6": "0 ronin-1", "0,-7": "0 ship-1", "1,-2": "1 samurai-1"}
    game = game_with(["tile-exchange ship-2"], tiles=tiles)
    assert legal(game, "lift") == set()


def full_land(empty: str = "") -> dict[str, str]:
    """All 30 land hexes of the 2-player board but `empty` filled: each player has 15 tiles for land."""
    tiles = [f"{seat} {tile}" for tile in LAND_TILES for seat in (0, 1)]
    laid = dict(zip(sorted(board_for(2).land), tiles, strict=True))
    return {at: tile for at, tile in laid.items() if at != empty}


def test_no_tile_exchange_when_no_land_hex_is_empty():
    hands = ["tile-exchange ship-2", "ship-1"]
    assert legal(game_with(hands, tiles=full_land(), edo=False), "lift") == set()
    assert legal(game_with(hands, tiles=full_land(empty="1,-6"), edo=False), "lift") != set()


def test_a_tile_beside_emptied_settlements_may_be_lifted_and_brings_nothing_back():
    game = game_with(["tile-exchange ship-1"], tiles={"1,-6": "0 rice-4", "0,-5": "1 rice-2"})
    play(game, "lift@1,-6", "rice-4@1,-2")
    assert game.captured.sum() == 0
    assert figures_at(game, "0,-6") == set()


def test_the_lifted_tile_may_lie_beside_emptied_settlements():
    tiles = {"-9,8": "0 rice-4", "1,-6": "1 rice-2"}
    assert "rice-4@0,-5" in legal(play(game_with(["tile-exchange"], tiles=tiles), "lift@-9,8"))


def test_captures_are_looked_at_once_after_the_lifted_tile_lies():
    """The samurai is counted where it lies in the end; its old hex counts as filled, with nothing."""
    tiles = {"1,-6": "0 samurai-3", "1,-5": "1 rice-2"}
    game = game_with(["tile-exchange ship-1"], {"0,-6": "rice", "2,-6": "rice"}, tiles)
    play(game, "lift@1,-6")
    assert figures_at(game, "0,-6") == {"rice"}
    play(game, "samurai-3@2,-5")  # now 2,-6 is surrounded, by 0 + 3 against 2
    assert (figures_at(game, "2,-6"), figures_at(game, "0,-6")) == (set(), {"rice"})
    assert game.captured.tolist() == [[0, 0, 1], [0, 0, 0]]


def test_the_lifted_tile_may_surround_the_settlement_it_was_lifted_from():
    game = game_with(["tile-exchange"], {"0,-6": "rice"}, {"1,-6": "0 rice-4"})
    play(game, "lift@1,-6", "rice-4@0,-5")
    assert game.captured.tolist() == [[0, 0, 1], [0, 0, 0]]


def test_the_exchange_tile_surrounds_with_influence_0():
    game = game_with(["rice-2"], {"0,-6": "rice"}, {"1,-6": "1 tile-exchange"})
    assert play(game, "rice-2@0,-5").captured.tolist() == [[0, 0, 1], [0, 0, 0]]
    game = game_with(["helmet-2"], {"0,-6": "rice"}, {"1,-6": "1 tile-exchange"})
    assert play(game, "helmet-2@0,-5").set_aside.tolist() == [0, 0, 1]


# ---- figure exchange ----


def test_the_figure_exchange_swaps_two_figures_at_any_distance_and_leaves_the_game():
    game = game_with(["figure-exchange rice-2"], {"0,-6": "rice", "-9,9": "helmet"})
    play(game, "swap rice@0,-6", "swap helmet@-9,9")
    assert (figures_at(game, "0,-6"), figures_at(game, "-9,9")) == ({"helmet"}, {"rice"})
    assert hand(game, 0) == ["rice-2"]
    assert (game.to_dict()["tiles"], game.to_dict()["stocks"]) == ({}, [[], []])


def test_the_figure_exchange_leaves_the_hand_at_the_first_figure_and_the_second_must_follow():
    figures = {"0,-6": "rice", "-9,9": "helmet", "2,-6": "buddha", "2,-4": "rice"}
    game = game_with(["figure-exchange ship-1"], figures)
    play(game, "swap rice@0,-6")
    assert hand(game, 0) == ["ship-1"]
    assert (figures_at(game, "0,-6"), figures_at(game, "-9,9")) == ({"rice"}, {"helmet"})
    assert legal(game) == {"swap helmet@-9,9", "swap buddha@2,-6"}


def test_the_two_figures_are_of_different_types():
    game = game_with(["figure-exchange ship-1"], {"0,-6": "rice", "-9,9": "rice"})
    assert legal(game, "swap") == set()


def test_the_two_figures_are_from_different_settlements():
    game = game_with(["figure-exchange ship-1"], {"0,-4": "rice helmet"})
    assert legal(game, "swap") == set()


def test_edo_takes_no_part_while_its_three_figures_are_there():
    game = game_with(["figure-exchange ship-1"], {"0,-6": "rice", "-9,9": "helmet"})
    assert legal(game, "swap") == {"swap rice@0,-6", "swap helmet@-9,9"}


def test_edo_with_two_figures_can_give_one_for_the_third_type():
    figures = {"0,0": "helmet buddha", "0,-6": "rice", "-9,9": "helmet"}
    game = game_with(["figure-exchange ship-1"], figures, edo=False)
    assert legal(play(game, "swap helmet@0,0")) == {"swap rice@0,-6"}
    assert figures_at(play(game, "swap rice@0,-6"), "0,0") == {"buddha", "rice"}


def test_a_city_with_two_types_gives_one_for_the_third_type_only():
    figures = {"0,-4": "helmet buddha", "0,-6": "rice", "2,-6": "buddha", "2,-4": "helmet"}
    game = game_with(["figure-exchange ship-1"], figures)
    assert legal(play(game, "swap helmet@0,-4")) == {"swap rice@0,-6"}
    assert figures_at(play(game, "swap rice@0,-6"), "0,-4") == {"buddha", "rice"}


def test_two_cities_swap_only_what_the_other_does_not_hold():
    game = game_with(["figure-exchange ship-1"], {"0,-4": "helmet buddha", "-3,4": "helmet rice"})
    assert legal(game, "swap") == {"swap buddha@0,-4", "swap rice@-3,4"}


def test_a_first_figure_without_a_second_is_illegal():
    figures = {"0,-4": "helmet buddha", "0,-6": "helmet", "2,-6": "buddha"}
    game = game_with(["figure-exchange ship-1"], figures)
    # The city could give either figure only for a rice field; the two villages may swap with each other.
    assert legal(game, "swap") == {"swap helmet@0,-6", "swap buddha@2,-6"}


def test_the_figure_exchange_is_fast():
    figures = {"0,-6": "rice", "-9,9": "helmet"}
    game = play(game_with(["figure-exchange rice-2 ship-1"], figures), "rice-2@1,-2")
    assert legal(game, "swap")
    play(game, "swap rice@0,-6", "swap helmet@-9,9")
    assert legal(game, "ship")
    game = play(game_with(["figure-exchange rice-2"], figures), "swap rice@0,-6", "swap helmet@-9,9")
    assert legal(game, "rice")
    assert play(game, "end").current_player == 1


def test_the_figure_exchange_cannot_reach_figures_that_have_gone():
    figures = {"0,-6": "rice", "2,-4": "rice", "-9,9": "helmet"}
    game = game_with(["rice-4 figure-exchange"], figures, {"1,-6": "1 rice-2"})
    play(game, "rice-4@0,-5")
    assert legal(game, "swap") == {"swap rice@2,-4", "swap helmet@-9,9"}


def test_at_the_end_of_turn_captures_judge_what_the_figure_exchange_left():
    figures = {"0,-6": "rice", "-9,9": "helmet"}
    game = game_with(["rice-4 figure-exchange"], figures, {"1,-6": "1 helmet-2"}, captures="end_of_turn")
    play(game, "rice-4@0,-5")
    assert legal(game, "swap") == {"swap rice@0,-6", "swap helmet@-9,9"}
    play(game, "swap helmet@-9,9", "swap rice@0,-6")
    assert game.captured.tolist() == [[0, 0, 0], [1, 0, 0]]


# ---- capturing ----


def test_a_settlement_stays_while_one_land_hex_beside_it_is_empty():
    tiles = {"1,-6": "1 rice-2", "1,-5": "0 rice-3"}
    game = play(game_with(["rice-4"], {"2,-6": "rice"}, tiles), "rice-4@0,-5")
    assert (figures_at(game, "2,-6"), game.captured.sum()) == ({"rice"}, 0)


def test_sea_hexes_need_not_be_filled():
    game = game_with(["rice-4"], {"0,-6": "rice"}, {"1,-6": "1 rice-2"})
    assert play(game, "rice-4@0,-5").captured.tolist() == [[0, 0, 1], [0, 0, 0]]


def test_ships_count_but_do_not_surround():
    seas = {"1,-7": "0 ship-1", "0,-7": "0 ship-2", "-1,-6": "1 ship-2", "-1,-5": "0 ship-1"}
    game = game_with(["rice-2", "rice-4"], {"0,-6": "rice"}, seas)
    play(game, "rice-2@0,-5")
    assert game.captured.sum() == 0
    play(game, "rice-4@1,-6")  # 2 + 1 + 2 + 1 against 4 + 2: a tie
    assert game.set_aside.tolist() == [0, 0, 1]


def test_the_most_influence_takes_the_figure_also_for_a_rival_who_did_not_fill_the_last_hex():
    game = game_with(["rice-2"], {"0,-6": "rice"}, {"1,-6": "1 rice-3"})
    play(game, "rice-2@0,-5")
    assert game.captured.tolist() == [[0, 0, 0], [0, 0, 1]]
    assert figures_at(game, "0,-6") == set()


def test_a_figure_tile_acts_on_its_own_type_only():
    game = game_with(["samurai-1"], {"0,-6": "rice"}, {"1,-6": "1 helmet-4"})
    assert play(game, "samurai-1@0,-5").captured.tolist() == [[0, 0, 1], [0, 0, 0]]


@pytest.mark.parametrize("type_", TYPES)
def test_samurai_ronin_and_ship_act_on_all_types(type_):
    tiles = {"1,-6": "0 ronin-1", "0,-7": "0 ship-1", "1,-5": "1 samurai-2"}
    game = play(game_with(["samurai-1"], {"2,-6": type_}, tiles | {"3,-7": "0 ship-1"}), "samurai-1@2,-5")
    row = [int(type_ == other) for other in TYPES]  # 1 + 1 + 1 against 2; the ship at 0,-7 is not beside it
    assert game.captured.tolist() == [row, [0, 0, 0]]


def test_influence_is_the_sum_of_ones_own_tiles():
    tiles = {"1,-6": "0 rice-2", "1,-5": "1 rice-4", "2,-7": "0 ship-1"}
    game = play(game_with(["rice-3"], {"2,-6": "rice"}, tiles), "rice-3@2,-5")
    assert game.captured.tolist() == [[0, 0, 1], [0, 0, 0]]


def test_each_figure_of_a_settlement_is_judged_by_itself():
    tiles = {"1,-5": "1 rice-4", "0,-5": "0 helmet-3", "0,-3": "1 helmet-2"}
    game = play(game_with(["rice-3"], {"0,-4": "helmet rice"}, tiles), "rice-3@1,-4")
    assert game.captured.tolist() == [[1, 0, 0], [0, 0, 1]]


def test_the_three_figures_of_edo_may_go_three_ways():
    around = ["0 helmet-4", "1 buddha-4", "0 rice-3", "2 rice-3", "1 helmet-2"]
    tiles = dict(zip(("1,0", "1,-1", "0,-1", "-1,0", "-1,1"), around, strict=True))
    game = game_with(["buddha-2"], {"0,-6": "rice", "2,-6": "helmet", "2,-4": "buddha"}, tiles, players=3)
    play(game, "buddha-2@0,1")
    assert game.captured.tolist() == [[1, 0, 0], [0, 1, 0], [0, 0, 0]]
    assert game.set_aside.tolist() == [0, 0, 1]


def test_a_tie_for_the_most_sets_the_figure_aside_though_another_has_less():
    tiles = {"1,-6": "1 samurai-2", "1,-5": "2 samurai-1"}
    game = play(game_with(["samurai-2"], {"2,-6": "rice"}, tiles, players=3), "samurai-2@2,-5")
    assert (game.captured.sum(), game.set_aside.tolist()) == (0, [0, 0, 1])


def test_a_tie_below_the_most_does_not_matter():
    tiles = {"1,-6": "1 samurai-1", "1,-5": "2 samurai-1"}
    game = play(game_with(["samurai-2"], {"2,-6": "rice"}, tiles, players=3), "samurai-2@2,-5")
    assert game.captured.tolist() == [[0, 0, 1], [0, 0, 0], [0, 0, 0]]


def test_a_figure_set_aside_counts_once_however_many_tied():
    tiles = {"1,-6": "1 samurai-2", "1,-5": "2 samurai-2"}
    game = play(game_with(["samurai-2"], {"2,-6": "rice"}, tiles, players=3), "samurai-2@2,-5")
    assert game.set_aside.tolist() == [0, 0, 1]


def test_no_influence_at_all_is_a_tie_even_if_one_player_s_tiles_stand_alone():
    game = game_with(["helmet-4"], {"0,-6": "rice"}, {"1,-6": "0 buddha-4"})
    play(game, "helmet-4@0,-5")
    assert (game.captured.sum(), game.set_aside.tolist()) == (0, [0, 0, 1])


def test_one_tile_may_surround_two_settlements():
    tiles = {"-8,8": "0 rice-2", "-7,7": "1 helmet-3", "-7,6": "1 helmet-2"}
    game = game_with(["samurai-1"], {"-9,9": "rice", "-8,7": "helmet"}, tiles)
    play(game, "samurai-1@-9,8")
    assert game.captured.tolist() == [[0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize(
    ("captures", "takes"), [("immediate", [[0, 0, 0], [0, 0, 1]]), ("end_of_turn", [[0, 0, 1], [0, 0, 0]])]
)
def test_a_ship_after_the_last_land_hex_is_too_late_unless_captures_wait_for_the_end_of_turn(captures, takes):
    game = game_with(["rice-2 ship-2 ship-1"], {"0,-6": "rice"}, {"1,-6": "1 rice-3"}, captures=captures)
    play(game, "rice-2@0,-5")
    assert figures_at(game, "0,-6") == ({"rice"} if captures == "end_of_turn" else set())
    play(game, "ship-2@0,-7", "end")
    assert game.captured.tolist() == takes


@pytest.mark.parametrize("captures", ["immediate", "end_of_turn"])
def test_a_ship_before_the_last_land_hex_is_in_time(captures):
    game = game_with(["rice-2 ship-2 ship-1"], {"0,-6": "rice"}, {"1,-6": "1 rice-3"}, captures=captures)
    play(game, "ship-2@0,-7", "rice-2@0,-5", "end")
    assert game.captured.tolist() == [[0, 0, 1], [0, 0, 0]]


def test_captures_at_the_end_of_the_turn_are_made_also_when_the_end_is_automatic():
    game = game_with(["rice-4"], {"0,-6": "rice"}, {"1,-6": "1 rice-3"}, captures="end_of_turn")
    assert play(game, "rice-4@0,-5").captured.tolist() == [[0, 0, 1], [0, 0, 0]]


def test_an_emptied_settlement_takes_part_in_no_figure_exchange():
    figures = {"0,-6": "rice", "-9,9": "helmet", "2,-4": "buddha"}
    game = game_with(["rice-4", "figure-exchange"], figures, {"1,-6": "1 rice-3"})
    play(game, "rice-4@0,-5")
    assert legal(play(game, "swap helmet@-9,9")) == {"swap buddha@2,-4"}


# ---- the end ----

LAST_RICE = {"0,-6": "rice", "-9,9": "helmet", "-5,4": "buddha"}


def last_rice(hand: str, **rest: Any) -> Game:
    """Seat 0 takes the last rice field with a rice-4 at 0,-5, sets it aside with a rice-3 there."""
    return game_with([hand], LAST_RICE, {"1,-6": "1 rice-3"}, edo=False, **rest)


def test_the_game_ends_with_the_turn_in_which_the_last_figure_of_a_type_is_captured():
    game = play(last_rice("rice-4"), "rice-4@0,-5")
    assert (game.phase, game.is_over, game.current_player) == ("over", True, -1)
    assert (game.winners, game.places) == ((0,), (1, 2))


def test_the_game_ends_when_the_last_figure_of_a_type_is_set_aside():
    game = play(last_rice("rice-3"), "rice-3@0,-5")
    assert (game.is_over, game.winners, game.places) == (True, (0, 1), (1, 1))


def test_the_player_may_finish_the_last_turn_and_nobody_else_plays():
    game = play(last_rice("rice-4 ship-1 rice-2 ronin-1"), "rice-4@0,-5")
    assert (game.is_over, game.current_player, game.winners, game.places) == (False, 0, (), ())
    assert legal(game, "rice") == set()
    play(game, "ship-1@0,-7", "end")
    assert game.is_over


def test_captures_are_still_made_in_the_rest_of_the_last_turn():
    figures = LAST_RICE | {"-8,7": "helmet"}
    tiles = {"1,-6": "1 rice-3", "-8,8": "0 helmet-2"}
    game = game_with(["rice-4 ronin-1"], figures, tiles, edo=False)
    play(game, "rice-4@0,-5", "ronin-1@-9,8")
    assert (game.is_over, game.captured.tolist()) == (True, [[1, 0, 1], [0, 0, 0]])


def test_no_refill_after_the_last_turn():
    game = play(last_rice("rice-4 ship-1", stocks=["rice-2"]), "rice-4@0,-5", "end")
    assert (game.is_over, hand(game, 0)) == (True, ["ship-1"])
    assert game.to_dict()["stocks"][0] == ["rice-2"]


def test_the_game_goes_on_while_each_type_has_a_figure():
    game = game_with(["rice-4"], LAST_RICE | {"-2,0": "rice"}, {"1,-6": "1 rice-3"}, edo=False)
    assert not play(game, "rice-4@0,-5").is_over


@pytest.mark.parametrize("before", [[1, 1, 1], [3, 0, 0], [0, 0, 3]])
def test_the_game_ends_with_the_turn_in_which_the_fourth_figure_is_set_aside(before):
    game = game_with(["rice-3 ship-1"], {"0,-6": "rice"}, {"1,-6": "1 rice-3"}, set_aside=before)
    play(game, "rice-3@0,-5")
    assert (game.phase, game.current_player) == ("play", 0)  # he may finish his turn
    assert play(game, "end").is_over
    assert game.set_aside.sum() == 4


def test_the_third_figure_set_aside_ends_nothing():
    game = game_with(["rice-3"], {"0,-6": "rice"}, {"1,-6": "1 rice-3"}, set_aside=[1, 1, 0])
    assert not play(game, "rice-3@0,-5").is_over


def test_all_figures_are_judged_also_past_an_end_condition():
    tiles = {"-8,8": "1 helmet-2", "-7,7": "1 buddha-3", "-7,6": "0 buddha-2"}
    game = game_with(["helmet-2"], {"-9,9": "helmet", "-8,7": "buddha"}, tiles, set_aside=[1, 1, 1])
    play(game, "helmet-2@-9,8")
    assert (game.is_over, game.set_aside.tolist()) == (True, [2, 1, 1])
    assert game.captured.tolist() == [[0, 0, 0], [0, 1, 0]]


def test_with_captures_at_the_end_of_the_turn_the_end_is_seen_then():
    game = play(last_rice("rice-4 ship-1 ship-2", captures="end_of_turn"), "rice-4@0,-5", "ship-1@0,-7")
    assert not game.is_over
    assert play(game, "end").is_over


def test_a_position_without_a_type_or_with_four_set_aside_does_not_end_by_itself():
    game = game_with(["rice-2 rice-3"], {"0,-6": "rice"}, edo=False, set_aside=[2, 2, 0])
    assert not game.is_over
    assert not play(game, "rice-2@1,-2").is_over


def test_a_figure_captured_does_not_look_at_the_types_that_were_missing_before():
    figures = {"0,-6": "rice", "2,-4": "rice"}
    game = game_with(["rice-4"], figures, {"1,-6": "1 rice-3"}, edo=False)
    assert not play(game, "rice-4@0,-5").is_over


def test_a_figure_captured_does_not_look_at_the_figures_set_aside_before():
    game = game_with(["rice-4"], {"0,-6": "rice"}, {"1,-6": "1 rice-3"}, set_aside=[2, 2, 0])
    assert not play(game, "rice-4@0,-5").is_over


def test_nobody_plays_after_the_end():
    game = play(last_rice("rice-4"), "rice-4@0,-5")
    assert (game.legal_actions().tolist(), game.action_mask().sum()) == ([], 0)
    refused(game, "end")
    refused(game, "samurai-1@1,-2")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_game_ends_within_twenty_tiles_a_player_by_a_type_gone_or_four_set_aside(players):
    for seed in range(10):
        game = random_play(Game(players=players, seed=seed, hands="random", figures="random"), seed)
        left = {type_ for types in game.to_dict()["figures"].values() for type_ in types}
        assert len(left) < 3 or game.set_aside.sum() >= 4
        plays = [text for text in game.record()["actions"] if text != "end"]
        second_halves = sum(text.startswith(("lift", "swap")) for text in plays)
        assert len(plays) <= 20 * players + second_halves


# ---- who wins ----

SCORES = {
    "rulebook, four majorities at stake": ([(3, 3, 4), (1, 4, 3), (5, 3, 2), (4, 3, 3)], (1, 3, 2, 4)),
    "rulebook, a type tied": ([(2, 4, 4), (6, 1, 2), (4, 3, 4), (0, 5, 3)], (4, 1, 3, 2)),
    "rulebook, two players": ([(5, 3, 1), (2, 3, 2)], (2, 1)),
    "two majorities win at once": ([(2, 2, 0), (1, 1, 7)], (1, 2)),
    "three majorities win at once": ([(1, 1, 1), (0, 0, 0), (0, 0, 0)], (1, 2, 2)),
    "only those with a majority are candidates": ([(4, 4, 0), (4, 4, 0), (0, 0, 1)], (2, 2, 1)),
    "most of the other two types": ([(6, 0, 0), (2, 1, 0), (0, 0, 0)], (2, 1, 3)),
    "tied in the others, then all figures": ([(5, 1, 1), (1, 4, 1), (0, 0, 0)], (1, 2, 3)),
    "tied in all shares": ([(4, 1, 1), (1, 4, 1)], (1, 1)),
    "shared, with places below": ([(4, 1, 1), (1, 4, 1), (0, 0, 2), (0, 0, 3)], (1, 1, 4, 3)),
    "nobody has a majority": ([(3, 2, 2), (3, 2, 1), (0, 2, 2)], (1, 2, 3)),
    "nobody has a majority, shared": ([(2, 2, 2), (2, 2, 2), (1, 1, 1)], (1, 1, 3)),
    "nobody has anything": ([(0, 0, 0)] * 4, (1, 1, 1, 1)),
    "candidates come before the rest": ([(3, 3, 0), (0, 1, 2), (2, 0, 0), (0, 2, 1)], (1, 2, 4, 3)),
    "candidates share a place": ([(6, 2, 2), (1, 5, 1), (1, 1, 5), (0, 4, 4)], (1, 2, 2, 4)),
    "the rest shares a place": ([(3, 0, 0), (1, 2, 1), (1, 2, 1), (0, 0, 0)], (1, 2, 2, 4)),
}


@pytest.mark.parametrize(("captured", "places"), SCORES.values(), ids=SCORES)
def test_score(captured, places):
    winners = tuple(seat for seat, place in enumerate(places) if place == 1)
    for rows in (captured, np.array(captured), np.array(captured, dtype=np.int8)):
        result = score(rows)
        assert (result.winners, result.places) == (winners, places)
    game = Game.from_dict({"players": len(places), "captured": [list(row) for row in captured]})
    assert (game.is_over, game.winners, game.places) == (True, winners, places)


def test_a_majority_needs_strictly_more_figures_than_every_other_player():
    assert tuple(score([(3, 3, 4), (1, 4, 3), (5, 3, 2), (4, 3, 3)]).majorities) == (2, 1, 0)
    assert tuple(score([(2, 4, 4), (6, 1, 2), (4, 3, 4), (0, 5, 3)]).majorities) == (1, 3, -1)
    assert tuple(score([(5, 3, 1), (2, 3, 2)]).majorities) == (0, -1, 1)
    assert tuple(score([(0, 0, 0), (0, 0, 0)]).majorities) == (-1, -1, -1)


@pytest.mark.parametrize(
    ("captured", "returns"),
    [
        ([(5, 3, 1), (2, 3, 2)], [-1, 1]),
        ([(4, 1, 1), (1, 4, 1)], [0, 0]),
        ([(1, 1, 1), (0, 0, 0), (0, 0, 0)], [1, -1 / 2, -1 / 2]),
        ([(4, 1, 1), (1, 4, 1), (0, 0, 2), (0, 0, 3)], [1 / 3, 1 / 3, -1 / 3, -1 / 3]),
    ],
)
def test_winners_share_the_returns(captured, returns):
    game = Game.from_dict({"players": len(captured), "captured": [list(row) for row in captured]})
    assert game.returns("winner") == pytest.approx(returns)


def test_there_are_no_winners_places_and_returns_while_the_game_runs():
    game = game_with(["samurai-1"], captured=[[3, 0, 0], [0, 0, 0]])
    assert (game.winners, game.places) == ((), ())
    assert game.returns("winner").tolist() == [0, 0]


# ---- positions ----


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (written(figures={"99,99": "rice"}), "99,99"),
        (written(figures={"0;-6": "rice"}), "0;-6"),
        (written(tiles={"99,99": "0 rice-2"}), "99,99"),
        (written(figures={"0,-12": "rice"}), "0,-12"),  # Hokkaido
        (written(figures={"-6,8": "rice"}), "-6,8"),  # Shikoku
        (written(figures={"0,-12": "rice"}, players=3), "0,-12"),
        (written(tiles={"1,-12": "0 rice-2"}), "1,-12"),
        (written(figures={"1,-6": "rice"}), "1,-6"),
        (written(figures={"0,-7": "rice"}), "0,-7"),
        (written(figures={"0,-6": "bread"}), "bread"),
        (written(figures={"0,-6": "rice helmet"}), "0,-6"),
        (written(figures={"0,-4": "rice helmet buddha"}), "0,-4"),
        (written(figures={"0,-4": "rice rice"}), "0,-4"),
        (written(figures={"0,0": "rice rice helmet"}), "0,0"),
        (written(tiles={"0,-6": "0 rice-2"}), "0,-6"),
        (written(tiles={"0,-6": "0 ship-1"}), "0,-6"),
        (written(tiles={"1,-6": "0 ship-1"}), "1,-6"),
        (written(tiles={"0,-7": "0 samurai-1"}), "0,-7"),
        (written(tiles={"0,-7": "0 tile-exchange"}), "0,-7"),
        (written(tiles={"1,-6": "0 figure-exchange"}), "1,-6"),
        (written(tiles={"1,-6": "0 rice-5"}), "rice-5"),
        (written(tiles={"1,-6": "2 rice-2"}), "seat: 2"),
        (written(tiles={"1,-6": "-1 rice-2"}), "seat: -1"),
        (written(["rice-1"]), "rice-1"),
        (written(stocks=["ship-3"]), "ship-3"),
        (written(to_move=2), "to_move: 2"),
        (written(["rice-2 rice-2"]), "rice-2"),
        (written(["rice-2"], stocks=["rice-2"]), "rice-2"),
        (written(["rice-2"], tiles={"1,-6": "0 rice-2"}), "rice-2"),
        (written(tiles={"1,-6": "0 samurai-1", "0,-5": "0 samurai-1", "1,-5": "0 samurai-1"}), "samurai-1"),
        (written(figures={"0,-6": "rice"}, tiles={"1,-6": "0 rice-2", "0,-5": "1 rice-2"}), "0,-6"),
        (written(["", "", "samurai-1"]), "hands"),
        (written(stocks=["", "", "samurai-1"]), "stocks"),
        (written(captured=[[0, 0, 0]]), "captured"),
        (written(captured=[[0, 0], [0, 0]]), "captured"),
        (written(captured=[[0, 0, -1], [0, 0, 0]]), "captured"),
        (written(set_aside=[0, 0]), "set_aside"),
        (written(set_aside=[0, 0, -1]), "set_aside"),
        (written(players=5), "players: 5"),
        (written(phase="lunch"), "lunch"),
        (written(captures="never"), "never"),
        (written(hand=["rice-2"]), "'hand'"),
        (written(setup={"hands": "none", "figures": "draft"}), "none"),
        (written() | {"tiles": {"1,-6": {"seat": 0}}}, "1,-6"),
        (written() | {"tiles": {"1,-6": {"seat": 0, "tile": "rice-2", "value": 2}}}, "value"),
    ],
)
def test_a_wrong_position_is_refused_naming_the_entry(wrong, named):
    with pytest.raises(ValueError, match=named):
        Game.from_dict(wrong)


def test_a_surrounded_settlement_with_figures_waits_for_the_end_of_turn():
    tiles = {"1,-6": "0 rice-2", "0,-5": "1 rice-3"}
    game = game_with(["ship-1"], {"0,-6": "rice"}, tiles, captures="end_of_turn")
    assert play(game, "ship-1@3,-3").captured.tolist() == [[0, 0, 0], [0, 0, 1]]


def test_a_missing_part_of_a_position_takes_its_default():
    game = Game.from_dict({"players": 3, "hands": [["ship-1"], [], []]})
    position = game.to_dict()
    assert (game.phase, game.current_player, position["captures"]) == ("play", 0, "immediate")
    assert (position["figures"], position["tiles"]) == ({}, {})
    assert (position["stocks"], position["captured"]) == ([[], [], []], [[0, 0, 0]] * 3)
    assert (position["set_aside"], position["seed"]) == ([0, 0, 0], 0)


def test_the_seed_of_a_position_decides_the_draws():
    def drawn(seed: int) -> list[str]:
        position = written(["rice-2 rice-3"], stocks=["helmet-2 helmet-3 helmet-4 buddha-2 buddha-3 buddha-4"])
        return hand(play(Game.from_dict(position | {"seed": seed}), "rice-2@1,-6"), 0)

    assert drawn(1) == drawn(1)
    assert len({tuple(drawn(seed)) for seed in range(20)}) > 5


def test_the_order_of_a_stock_in_a_position_does_not_matter():
    stock = "helmet-2 helmet-3 helmet-4 buddha-2 buddha-3 buddha-4"
    backward = " ".join(reversed(stock.split()))
    assert game_with(["rice-2"], stocks=[stock]) == game_with(["rice-2"], stocks=[backward])


@pytest.mark.parametrize("phase", ["hands", "figures"])
def test_a_position_of_the_set_up_goes_on_as_the_game_does(phase):
    game = Game(players=2, seed=5, hands="choose")
    while game.phase != phase or not game.legal_actions().size:
        game.apply(int(game.legal_actions()[0]))
    game.apply(int(game.legal_actions()[1]))
    other = Game.from_dict(game.to_dict())
    for seed in (1, 2):
        assert random_play(game.clone(), seed) == random_play(other.clone(), seed)


# ---- properties of whole games ----

KINDS_OF_GAME = (("choose", "draft", "immediate"), ("random", "random", "end_of_turn"))
GAMES = [
    {"players": players, "hands": hands, "figures": figures, "captures": captures}
    for players in (2, 3, 4)
    for hands, figures, captures in KINDS_OF_GAME
]
each_kind_of_game = pytest.mark.parametrize(
    "options", GAMES, ids=lambda options: f"{options['players']}-{options['captures']}"
)


@each_kind_of_game
def test_a_position_read_back_is_the_game_at_every_ply(options):
    halves = set()

    def visit(game: Game) -> None:
        position = json.loads(json.dumps(game.to_dict()))
        again = Game.from_dict(position)
        assert again == game
        assert again.to_dict() == position
        assert again.legal_actions().tolist() == game.legal_actions().tolist()
        halves.update(key for key in ("lifted", "swap") if position[key])

    for seed in range(4):
        random_play(Game(seed=seed, **options), seed, visit)
    assert halves == {"lifted", "swap"}


@each_kind_of_game
def test_the_mask_marks_the_legal_ids_which_apply_and_all_others_raise_and_change_nothing(options):
    rng = random.Random(0)

    def visit(game: Game) -> None:
        mask, ids = game.action_mask(), game.legal_actions()
        assert (mask.dtype, mask.shape) == (np.int8, (game.num_actions,))
        assert np.flatnonzero(mask).tolist() == ids.tolist()
        for action in rng.sample(ids.tolist(), min(3, len(ids))):
            clone = game.clone()
            clone.apply(action)
            assert clone != game
        before = game.clone()
        for action in rng.sample(np.flatnonzero(mask == 0).tolist(), 8):
            with pytest.raises(IllegalActionError):
                game.apply(action)
            with pytest.raises(IllegalActionError):
                game.apply(game.action_to_string(action))
        assert game == before

    random_play(Game(seed=3, **options), 3, visit)


@pytest.mark.parametrize("action", [-1, 577, 10_000])
def test_an_id_out_of_range_raises_and_changes_nothing(action):
    game = Game(players=2, seed=1)
    before = game.clone()
    with pytest.raises(IllegalActionError, match=str(action)):
        game.apply(action)
    assert game == before


@pytest.mark.parametrize("text", ["", "hold", "hold sword", "samurai-1@99,99", "swap rice@1,-6", "pass"])
def test_an_unknown_text_raises_and_changes_nothing(text):
    game = Game(players=2, seed=1)
    before = game.clone()
    with pytest.raises(ValueError, match=f"'{text}'"):
        game.apply(text)
    assert game == before


def test_an_illegal_action_is_a_value_error_that_says_what_was_wrong_and_what_was_legal():
    game = game_with(["figure-exchange ship-1"], {"0,-6": "rice", "-9,9": "helmet"})
    play(game, "swap rice@0,-6")
    with pytest.raises(ValueError, match="ship-1@0,-7") as error:
        game.apply("ship-1@0,-7")
    assert isinstance(error.value, IllegalActionError)
    assert "swap helmet@-9,9" in str(error.value)


def test_an_id_and_its_text_do_the_same():
    by_id, by_text = (Game(players=2, seed=4, hands="random") for _ in range(2))
    for _ in range(30):
        action = int(by_id.legal_actions()[-1])
        by_text.apply(by_text.action_to_string(action))
        by_id.apply(action)
        assert by_id == by_text


@each_kind_of_game
def test_a_record_replays_to_the_same_game(options):
    game = random_play(Game(seed=9, **options), 9)
    assert Game.replay(json.loads(json.dumps(game.record()))) == game


def test_a_record_of_a_game_from_a_position_replays_to_the_same_game():
    game = game_with(["figure-exchange ship-1"], {"0,-6": "rice", "-9,9": "helmet"}, stocks=["rice-2 rice-3"])
    play(game, "swap rice@0,-6", "swap helmet@-9,9", "end")
    assert Game.replay(json.loads(json.dumps(game.record()))) == game


# ------------------------------------------------------------------ a turn that is under way in a position


TURN = {
    "players": 2,
    "figures": {"0,-6": ["rice"], "0,-4": ["helmet", "rice"]},
    "hands": [["ship-1"], ["ship-1"]],
}


@pytest.mark.parametrize(
    ("part", "message"),
    [
        ({"turn": ["helmet-4"]}, "turn: 'helmet-4' was played"),
        ({"turn": ["figure-exchange"], "hands": [["figure-exchange"], []]}, "turn: 'figure-exchange' was played"),
        ({"turn": ["tile-exchange"], "lifted": "rice-2"}, "turn: 'tile-exchange' was played"),
        ({"lifted": "rice-2"}, "lifted: 'rice-2', but 'turn' does not name"),
        ({"swap": "helmet@0,-4"}, "swap: 'helmet@0,-4', but 'turn' does not name"),
        (
            {
                "turn": ["tile-exchange", "figure-exchange"],
                "tiles": {"1,-6": {"seat": 0, "tile": "tile-exchange"}},
                "lifted": "rice-2",
                "swap": "helmet@0,-4",
            },
            "swap: a tile is lifted too",
        ),
        ({"last_turn": True}, "last_turn: true before a tile"),
        ({"last_turn": True, "phase": "hands"}, "last_turn: true before a tile"),
        ({"turn": ["ship-1"], "phase": "figures"}, "turn: tiles played in phase 'figures'"),
    ],
)
def test_a_turn_that_cannot_be_is_refused(part, message):
    with pytest.raises(ValueError, match=message):
        Game.from_dict({**TURN, **part})
